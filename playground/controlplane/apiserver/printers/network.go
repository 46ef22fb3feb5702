package printers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/api/schema"
)

func (p printer) printService(o *corev1.Service) []any {
	clusterIP := "<none>"
	if len(o.Spec.ClusterIPs) > 0 {
		clusterIP = o.Spec.ClusterIPs[0]
	}
	return []any{o.Name, string(o.Spec.Type), clusterIP, getServiceExternalIP(o), or(makePortString(o.Spec.Ports), "<none>"), p.created(o),
		labels.FormatLabels(o.Spec.Selector)}
}

// getServiceExternalIP is upstream's function of that name.
func getServiceExternalIP(o *corev1.Service) string {
	external := slices.Clone(o.Spec.ExternalIPs)
	switch o.Spec.Type {
	case corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort:
		return or(strings.Join(external, ","), "<none>")
	case corev1.ServiceTypeLoadBalancer:
		var ingress []string
		for _, i := range o.Status.LoadBalancer.Ingress {
			ingress = append(ingress, or(i.IP, i.Hostname))
		}
		return or(strings.Join(append(distinct(ingress), external...), ","), "<pending>")
	case corev1.ServiceTypeExternalName:
		return o.Spec.ExternalName
	}
	return "<unknown>"
}

// distinct sorts texts and drops what is empty or there twice.
func distinct(texts []string) []string {
	slices.Sort(texts)
	texts = slices.Compact(texts)
	if len(texts) > 0 && texts[0] == "" {
		return texts[1:]
	}
	return texts
}

func makePortString(ports []corev1.ServicePort) string {
	var out []string
	for _, p := range ports {
		if p.NodePort > 0 {
			out = append(out, fmt.Sprintf("%d:%d/%s", p.Port, p.NodePort, p.Protocol))
		} else {
			out = append(out, fmt.Sprintf("%d/%s", p.Port, p.Protocol))
		}
	}
	return strings.Join(out, ",")
}

// few names the first of many things, and says how many there are more.
func few(all []string, none string) string {
	if len(all) > most {
		return fmt.Sprintf("%s + %d more...", strings.Join(all[:most], ","), len(all)-most)
	}
	return or(strings.Join(all, ","), none)
}

func formatEndpoints(o *corev1.Endpoints) string {
	var all []string
	for _, subset := range o.Subsets {
		if len(subset.Ports) == 0 {
			for _, a := range subset.Addresses {
				all = append(all, a.IP)
			}
		}
		for _, port := range subset.Ports {
			for _, a := range subset.Addresses {
				all = append(all, joinHostPort(a.IP, port.Port))
			}
		}
	}
	if len(o.Subsets) == 0 {
		return "<none>"
	}
	return few(all, "")
}

// joinHostPort is net.JoinHostPort.
func joinHostPort(host string, port int32) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(port))
}

func formatDiscoveryPorts(ports []discoveryv1.EndpointPort) string {
	var all []string
	for _, p := range ports {
		if p.Port != nil {
			all = append(all, strconv.Itoa(int(*p.Port)))
		} else {
			all = append(all, some(p.Name, "*"))
		}
	}
	return few(all, "<unset>")
}

func formatDiscoveryEndpoints(endpoints []discoveryv1.Endpoint) string {
	var all []string
	for _, e := range endpoints {
		all = append(all, e.Addresses...)
	}
	return few(all, "<unset>")
}

func (p printer) printIngress(o *networkingv1.Ingress) []any {
	var addresses []string
	for _, i := range o.Status.LoadBalancer.Ingress {
		addresses = append(addresses, or(i.IP, i.Hostname))
	}
	ports := "80"
	if len(o.Spec.TLS) > 0 {
		ports = "80, 443"
	}
	return []any{o.Name, some(o.Spec.IngressClassName, "<none>"), formatHosts(o.Spec.Rules), strings.Join(distinct(addresses), ","), ports, p.created(o)}
}

// formatHosts names the hosts of the first rules. Upstream counts the rest in
// rules, with and without a host; so does this.
func formatHosts(rules []networkingv1.IngressRule) string {
	var hosts []string
	more := false
	for _, r := range rules {
		if len(hosts) == most {
			more = true
		}
		if !more && r.Host != "" {
			hosts = append(hosts, r.Host)
		}
	}
	if more {
		return fmt.Sprintf("%s + %d more...", strings.Join(hosts, ","), len(rules)-most)
	}
	return or(strings.Join(hosts, ","), "*")
}

func (p printer) printIngressClass(o *networkingv1.IngressClass) []any {
	name := o.Name
	if o.Annotations[networkingv1.AnnotationIsDefaultIngressClass] == "true" {
		name += " (default)"
	}
	parameters := "<none>"
	if ref := o.Spec.Parameters; ref != nil {
		parameters = ref.Kind
		if ref.APIGroup != nil {
			parameters += "." + *ref.APIGroup
		}
		parameters += "/" + ref.Name
	}
	return []any{name, o.Spec.Controller, parameters, p.created(o)}
}

func (p printer) printIPAddress(o *networkingv1.IPAddress) []any {
	parent := "<none>"
	if ref := o.Spec.ParentRef; ref != nil {
		parent = schema.GroupResource{Group: ref.Group, Resource: ref.Resource}.String()
		if ref.Namespace != "" {
			parent += "/" + ref.Namespace
		}
		parent += "/" + ref.Name
	}
	return []any{o.Name, parent}
}

func (p printer) printServiceCIDR(o *networkingv1.ServiceCIDR) []any {
	return []any{o.Name, strings.Join(o.Spec.CIDRs, ","), p.created(o)}
}

// Upstream: kube-aggregator/pkg/registry/apiservice/etcd/etcd.go, ConvertToTable.
func (p printer) printAPIService(o *apiregistrationv1.APIService) []any {
	service, status := "Local", "Unknown"
	if s := o.Spec.Service; s != nil {
		service = s.Namespace + "/" + s.Name
	}
	for _, c := range o.Status.Conditions {
		if c.Type != apiregistrationv1.Available {
			continue
		}
		status = string(c.Status)
		if c.Status != apiregistrationv1.ConditionTrue && c.Reason != "" {
			status += " (" + c.Reason + ")"
		}
		break
	}
	return []any{o.Name, service, status, p.created(o)}
}
