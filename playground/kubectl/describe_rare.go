//go:build !js || cel

package kubectl

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/discoveryv1"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/api/storagev1"
)

// rare describes the kinds that few readers describe.
// Upstream: kubectl pkg/describe/describe.go. Of the sources of a PersistentVolume, those that a cluster here can have are shown.
func (d *describer) rare(obj api.Object) bool {
	switch o := obj.(type) {
	case *networkingv1.Ingress:
		d.ingress(o)
	case *networkingv1.NetworkPolicy:
		d.networkPolicy(o)
	case *corev1.PersistentVolume:
		d.volume(o)
	case *storagev1.StorageClass:
		d.storageClass(o)
	case *corev1.ServiceAccount:
		d.above(obj)
		if len(o.ImagePullSecrets) == 0 {
			d.line(0, "Image pull secrets:\t<none>")
		}
		title := "Image pull secrets:"
		for _, s := range o.ImagePullSecrets {
			d.line(0, "%s\t%s", title, s.Name)
			title = strings.Repeat(" ", len(title))
		}
	case *corev1.LimitRange:
		d.head(&o.ObjectMeta, true)
		d.line(0, "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio")
		d.line(0, "----\t--------\t---\t---\t---------------\t-------------\t-----------------------")
		for _, item := range o.Spec.Limits {
			d.limit("", &item)
		}
	case *batchv1.CronJob:
		d.cronJob(o)
	case *corev1.Endpoints:
		d.endpoints(o)
	case *discoveryv1.EndpointSlice:
		d.endpointSlice(o)
	default:
		return false
	}
	return true
}

// above is what these kinds begin with.
func (d *describer) above(obj api.Object) {
	d.head(obj.GetObjectMeta(), true)
	d.labels("Labels", obj.GetLabels())
	d.annotations(obj.GetAnnotations())
}

// ingress is upstream's describeIngressV1.
func (d *describer) ingress(o *networkingv1.Ingress) {
	d.line(0, "Name:\t%s", o.Name)
	d.labels("Labels", o.Labels)
	d.line(0, "Namespace:\t%s", o.Namespace)
	var at []string
	for _, in := range o.Status.LoadBalancer.Ingress {
		address := in.IP
		if address == "" {
			address = in.Hostname
		}
		if address != "" {
			at = append(at, address)
		}
	}
	slices.Sort(at)
	d.line(0, "Address:\t%s", strings.Join(slices.Compact(at), ","))
	class, fallback := "<none>", "<default>"
	if o.Spec.IngressClassName != nil {
		class = *o.Spec.IngressClassName
	}
	if o.Spec.DefaultBackend != nil {
		fallback = d.backend(o.Namespace, o.Spec.DefaultBackend)
	}
	d.line(0, "Ingress Class:\t%s", class)
	d.line(0, "Default backend:\t%s", fallback)
	if len(o.Spec.TLS) > 0 {
		d.line(0, "TLS:")
	}
	for _, t := range o.Spec.TLS {
		if t.SecretName == "" {
			d.line(1, "SNI routes %s", strings.Join(t.Hosts, ","))
		} else {
			d.line(1, "%s terminates %s", t.SecretName, strings.Join(t.Hosts, ","))
		}
	}
	d.line(0, "Rules:")
	d.line(1, "Host\tPath\tBackends")
	d.line(1, "----\t----\t--------")
	rules := 0
	for _, r := range o.Spec.Rules {
		if r.HTTP == nil {
			continue
		}
		rules++
		if r.Host == "" {
			r.Host = "*"
		}
		d.line(1, "%s\t", r.Host)
		for _, p := range r.HTTP.Paths {
			d.line(2, "\t%s \t%s", p.Path, d.backend(o.Namespace, &p.Backend))
		}
	}
	if rules == 0 {
		d.line(1, "*\t*\t%s", fallback)
	}
	d.annotations(o.Annotations)
}

// backend is upstream's describeBackendV1.
func (d *describer) backend(namespace string, b *networkingv1.IngressBackend) string {
	if r := b.Resource; r != nil {
		group := "<none>"
		if r.APIGroup != nil {
			group = *r.APIGroup
		}
		return fmt.Sprintf("APIGroup: %s, Kind: %s, Name: %s", group, r.Kind, r.Name)
	}
	if b.Service == nil {
		return ""
	}
	named, port := b.Service, b.Service.Port
	text := named.Name + ":" + port.Name
	if port.Number != 0 {
		text = fmt.Sprintf("%s:%d", named.Name, port.Number)
	}
	i := &info{kind: api.KindOf(new(corev1.Service)), namespace: namespace, name: named.Name}
	if _, err := d.read(i, false); err != nil {
		return fmt.Sprintf("%s (<error: %v>)", text, err)
	}
	name := ""
	for _, p := range i.object.(*corev1.Service).Spec.Ports {
		if port.Number != 0 && port.Number == p.Port || port.Name != "" && port.Name == p.Name {
			name = p.Name
		}
	}
	found, _ := d.items(api.KindOf(new(discoveryv1.EndpointSlice)), namespace, discoveryv1.LabelServiceName+"="+named.Name, "")
	return fmt.Sprintf("%s (%s)", text, endpointsOf(found, name))
}

// networkPolicy is upstream's describeNetworkPolicy.
func (d *describer) networkPolicy(o *networkingv1.NetworkPolicy) {
	d.head(&o.ObjectMeta, true)
	d.line(0, "Created on:\t%s", o.CreationTimestamp.UTC())
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	d.line(0, "Spec:")
	selects := selectorText(&o.Spec.PodSelector)
	if selects == "<none>" {
		selects += " (Allowing the specific traffic to all pods in this namespace)"
	}
	d.line(1, "PodSelector:     %s", selects)
	var names []string
	for _, t := range o.Spec.PolicyTypes {
		names = append(names, string(t))
	}
	if slices.Contains(o.Spec.PolicyTypes, networkingv1.PolicyTypeIngress) {
		d.line(1, "Allowing ingress traffic:")
		for i, r := range o.Spec.Ingress {
			d.policyRule(i, r.Ports, "From", "source", r.From)
		}
		if len(o.Spec.Ingress) == 0 {
			d.line(2, "<none> (Selected pods are isolated for ingress connectivity)")
		}
	} else {
		d.line(1, "Not affecting ingress traffic")
	}
	if slices.Contains(o.Spec.PolicyTypes, networkingv1.PolicyTypeEgress) {
		d.line(1, "Allowing egress traffic:")
		for i, r := range o.Spec.Egress {
			d.policyRule(i, r.Ports, "To", "destination", r.To)
		}
		if len(o.Spec.Egress) == 0 {
			d.line(2, "<none> (Selected pods are isolated for egress connectivity)")
		}
	} else {
		d.line(1, "Not affecting egress traffic")
	}
	d.line(1, "Policy Types: %s", none(strings.Join(names, ", ")))
}

// policyRule is upstream's printNetworkPolicySpecIngressFrom and …EgressTo.
func (d *describer) policyRule(nth int, ports []networkingv1.NetworkPolicyPort, title, end string, peers []networkingv1.NetworkPolicyPeer) {
	if nth > 0 {
		d.line(2, "----------")
	}
	if len(ports) == 0 {
		d.line(2, "To Port: <any> (traffic allowed to all ports)")
	}
	for _, p := range ports {
		protocol, port := corev1.ProtocolTCP, "<nil>"
		if p.Protocol != nil {
			protocol = *p.Protocol
		}
		if p.Port != nil {
			port = p.Port.String()
		}
		if p.EndPort == nil {
			d.line(2, "To Port: %s/%s", port, protocol)
		} else {
			d.line(2, "To Port Range: %s-%d/%s", port, *p.EndPort, protocol)
		}
	}
	if len(peers) == 0 {
		d.line(2, "%s: <any> (traffic not restricted by %s)", title, end)
	}
	for _, p := range peers {
		d.line(2, "%s:", title)
		if p.NamespaceSelector != nil {
			d.line(3, "NamespaceSelector: %s", selectorText(p.NamespaceSelector))
		}
		if p.PodSelector != nil {
			d.line(3, "PodSelector: %s", selectorText(p.PodSelector))
		}
		if p.IPBlock != nil {
			d.line(3, "IPBlock:")
			d.line(4, "CIDR: %s", p.IPBlock.CIDR)
			d.line(4, "Except: %s", strings.Join(p.IPBlock.Except, ", "))
		}
	}
}

// volume is upstream's describePersistentVolume.
func (d *describer) volume(o *corev1.PersistentVolume) {
	d.line(0, "Name:\t%s", o.Name)
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	d.line(0, "Finalizers:\t%v", o.Finalizers)
	d.line(0, "StorageClass:\t%s", o.Spec.StorageClassName)
	if o.DeletionTimestamp != nil {
		d.line(0, "Status:\tTerminating (lasts %s)", d.ago(o.DeletionTimestamp.Time))
	} else {
		d.line(0, "Status:\t%s", o.Status.Phase)
	}
	claim := ""
	if o.Spec.ClaimRef != nil {
		claim = o.Spec.ClaimRef.Namespace + "/" + o.Spec.ClaimRef.Name
	}
	d.line(0, "Claim:\t%s", claim)
	d.line(0, "Reclaim Policy:\t%s", o.Spec.PersistentVolumeReclaimPolicy)
	d.line(0, "Access Modes:\t%s", accessModes(o.Spec.AccessModes))
	if o.Spec.VolumeMode != nil {
		d.line(0, "VolumeMode:\t%s", *o.Spec.VolumeMode)
	}
	capacity := o.Spec.Capacity[corev1.ResourceStorage]
	d.line(0, "Capacity:\t%s", capacity.String())
	d.nodeAffinity(o.Spec.NodeAffinity)
	d.line(0, "Message:\t%s", o.Status.Message)
	d.line(0, "Source:")
	switch v := &o.Spec; {
	case v.HostPath != nil:
		kind := "<none>"
		if v.HostPath.Type != nil {
			kind = string(*v.HostPath.Type)
		}
		d.line(2, "Type:\tHostPath (bare host directory volume)")
		d.line(2, "Path:\t%s", v.HostPath.Path)
		d.line(2, "HostPathType:\t%s", kind)
	case v.NFS != nil:
		d.line(2, "Type:\tNFS (an NFS mount that lasts the lifetime of a pod)")
		d.line(2, "Server:\t%s", v.NFS.Server)
		d.line(2, "Path:\t%s", v.NFS.Path)
		d.line(2, "ReadOnly:\t%t", v.NFS.ReadOnly)
	case v.Local != nil:
		d.line(2, "Type:\tLocalVolume (a persistent volume backed by local storage on a node)")
		d.line(2, "Path:\t%s", v.Local.Path)
	case v.CSI != nil:
		d.line(2, "Type:\tCSI (a Container Storage Interface (CSI) volume source)")
		d.line(2, "Driver:\t%s", v.CSI.Driver)
		d.line(2, "FSType:\t%s", v.CSI.FSType)
		d.line(2, "VolumeHandle:\t%s", v.CSI.VolumeHandle)
		d.line(2, "ReadOnly:\t%t", v.CSI.ReadOnly)
		d.multiline("    ", "VolumeAttributes", "\t", "=", v.CSI.VolumeAttributes)
	default:
		d.line(1, "<unknown>")
	}
}

// nodeAffinity is upstream's printVolumeNodeAffinity.
func (d *describer) nodeAffinity(a *corev1.VolumeNodeAffinity) {
	if a == nil || a.Required == nil {
		d.line(0, "Node Affinity:\t<none>")
		return
	}
	d.line(0, "Node Affinity:\t")
	if len(a.Required.NodeSelectorTerms) == 0 {
		d.line(1, "Required Terms:\t<none>")
		return
	}
	d.line(1, "Required Terms:\t")
	for i, term := range a.Required.NodeSelectorTerms {
		title := fmt.Sprintf("Term %d:", i)
		if len(term.MatchExpressions) == 0 {
			d.line(2, "%s\t<none>", title)
		}
		for _, r := range term.MatchExpressions {
			text := r.Key + " " + strings.ToLower(string(r.Operator))
			if len(r.Values) > 0 {
				text += " [" + strings.Join(r.Values, ", ") + "]"
			}
			d.line(2, "%s\t%s", title, text)
			title = ""
		}
	}
}

// storageClass is upstream's describeStorageClass.
func (d *describer) storageClass(o *storagev1.StorageClass) {
	d.line(0, "Name:\t%s", o.Name)
	first := "No"
	if o.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" || o.Annotations["storageclass.beta.kubernetes.io/is-default-class"] == "true" {
		first = "Yes"
	}
	d.line(0, "IsDefaultClass:\t%s", first)
	d.line(0, "Annotations:\t%s", formatLabels(o.Annotations))
	d.line(0, "Provisioner:\t%s", o.Provisioner)
	d.line(0, "Parameters:\t%s", formatLabels(o.Parameters))
	expands := "<unset>"
	if o.AllowVolumeExpansion != nil {
		expands = map[bool]string{false: "False", true: "True"}[*o.AllowVolumeExpansion]
	}
	d.line(0, "AllowVolumeExpansion:\t%s", expands)
	if len(o.MountOptions) == 0 {
		d.line(0, "MountOptions:\t<none>")
	} else {
		d.line(0, "MountOptions:")
	}
	for _, option := range o.MountOptions {
		d.line(1, "%s", option)
	}
	if o.ReclaimPolicy != nil {
		d.line(0, "ReclaimPolicy:\t%s", *o.ReclaimPolicy)
	}
	if o.VolumeBindingMode != nil {
		d.line(0, "VolumeBindingMode:\t%s", *o.VolumeBindingMode)
	}
	if o.AllowedTopologies == nil {
		return
	}
	d.line(0, "AllowedTopologies:\t")
	for i, term := range o.AllowedTopologies {
		title := fmt.Sprintf("Term %d:", i)
		for _, r := range term.MatchLabelExpressions {
			d.line(1, "%s\t%s in [%s]", title, r.Key, strings.Join(r.Values, ", "))
			title = ""
		}
	}
}

// endpoints is upstream's describeEndpoints.
func (d *describer) endpoints(o *corev1.Endpoints) {
	d.above(o)
	d.line(0, "Subsets:")
	for _, s := range o.Subsets {
		ips := func(list []corev1.EndpointAddress) string {
			var out []string
			for _, a := range list {
				out = append(out, a.IP)
			}
			return none(strings.Join(out, ","))
		}
		d.line(1, "Addresses:\t%s", ips(s.Addresses))
		d.line(1, "NotReadyAddresses:\t%s", ips(s.NotReadyAddresses))
		if len(s.Ports) > 0 {
			d.line(1, "Ports:")
			d.line(2, "Name\tPort\tProtocol")
			d.line(2, "----\t----\t--------")
		}
		for _, p := range s.Ports {
			d.line(2, "%s\t%d\t%s", set(&p.Name), p.Port, p.Protocol)
		}
		d.line(0, "")
	}
}

// set is a text, or that there is none.
func set(text *string) string {
	if text == nil || *text == "" {
		return "<unset>"
	}
	return *text
}

// endpointSlice is upstream's describeEndpointSliceV1.
func (d *describer) endpointSlice(o *discoveryv1.EndpointSlice) {
	d.above(o)
	d.line(0, "AddressType:\t%s", o.AddressType)
	if len(o.Ports) == 0 {
		d.line(0, "Ports: <unset>")
	} else {
		d.line(0, "Ports:")
		d.line(1, "Name\tPort\tProtocol")
		d.line(1, "----\t----\t--------")
	}
	for _, p := range o.Ports {
		number := "<unset>"
		if p.Port != nil {
			number = fmt.Sprint(*p.Port)
		}
		d.line(1, "%s\t%s\t%s", set(p.Name), number, *p.Protocol)
	}
	if len(o.Endpoints) == 0 {
		d.line(0, "Endpoints: <none>")
	} else {
		d.line(0, "Endpoints:")
	}
	for _, e := range o.Endpoints {
		ready := "<unset>"
		if e.Conditions.Ready != nil {
			ready = fmt.Sprint(*e.Conditions.Ready)
		}
		d.line(1, "- Addresses:\t%s", none(strings.Join(e.Addresses, ", ")))
		d.line(2, "Conditions:")
		d.line(3, "Ready:\t%s", ready)
		d.line(2, "Hostname:\t%s", set(e.Hostname))
		if e.TargetRef != nil {
			d.line(2, "TargetRef:\t%s/%s", e.TargetRef.Kind, e.TargetRef.Name)
		}
		d.line(2, "NodeName:\t%s", set(e.NodeName))
		d.line(2, "Zone:\t%s", set(e.Zone))
	}
}

// cronJob is upstream's describe.go, describeCronJob.
func (d *describer) cronJob(o *batchv1.CronJob) {
	d.head(&o.ObjectMeta, true)
	d.labels("Labels", o.Labels)
	d.annotations(o.Annotations)
	sp := &o.Spec
	d.line(0, "Schedule:\t%s", sp.Schedule)
	d.line(0, "Concurrency Policy:\t%s", sp.ConcurrencyPolicy)
	suspend, zone := "<unset>", "<unset>"
	if sp.Suspend != nil {
		suspend = title(*sp.Suspend)
	}
	if sp.TimeZone != nil {
		zone = *sp.TimeZone
	}
	d.line(0, "Suspend:\t%s", suspend)
	d.line(0, "Time Zone:\t%s", zone)
	d.line(0, "Successful Job History Limit:\t%s", unset(sp.SuccessfulJobsHistoryLimit, ""))
	d.line(0, "Failed Job History Limit:\t%s", unset(sp.FailedJobsHistoryLimit, ""))
	d.line(0, "Starting Deadline Seconds:\t%s", unset(sp.StartingDeadlineSeconds, "s"))
	job := &sp.JobTemplate.Spec
	if job.Selector != nil {
		d.line(0, "Selector:\t%s", bareSelector(job.Selector))
	} else {
		d.line(0, "Selector:\t<unset>")
	}
	d.line(0, "Parallelism:\t%s", unset(job.Parallelism, ""))
	d.line(0, "Completions:\t%s", unset(job.Completions, ""))
	if job.ActiveDeadlineSeconds != nil {
		d.line(0, "Active Deadline Seconds:\t%ds", *job.ActiveDeadlineSeconds)
	}
	d.podTemplate(&job.Template)
	last := "<unset>"
	if o.Status.LastScheduleTime != nil {
		last = clock(*o.Status.LastScheduleTime)
	}
	d.line(0, "Last Schedule Time:\t%s", last)
	var active []string
	for _, j := range o.Status.Active {
		active = append(active, j.Name)
	}
	d.line(0, "Active Jobs:\t%s", none(strings.Join(active, ", ")))
}
