package kubectl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/hash"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/api/schedulingv1"
	"kubewalk/playground/api/validate"
)

// createNamespace is kubectl create namespace.
func createNamespace(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	ns := &corev1.Namespace{}
	ns.Name = name
	return s.generate(ns, "")
}

// createServiceAccount is kubectl create serviceaccount.
func createServiceAccount(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	sa := &corev1.ServiceAccount{}
	sa.Name = name
	return s.generate(sa, "serviceaccount")
}

// createConfigMap is kubectl create configmap. Upstream: kubectl pkg/cmd/create/create_configmap.go.
func createConfigMap(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	data, err := s.keysOf("ConfigMap", name)
	if err != nil {
		return err
	}
	cm := &corev1.ConfigMap{Data: map[string]string{}, BinaryData: map[string][]byte{}}
	cm.Name = name
	for key, value := range data { // order: each has its own key
		if utf8.Valid(value) {
			cm.Data[key] = string(value)
		} else {
			cm.BinaryData[key] = value
		}
	}
	if s.flags.yes("append-hash") {
		cm.Name += "-" + hash.ConfigMap(cm)
	}
	return s.generate(cm, "configmap")
}

// serviceTypes are the words behind create service.
var serviceTypes = map[string]corev1.ServiceType{"clusterip": corev1.ServiceTypeClusterIP, "externalname": corev1.ServiceTypeExternalName,
	"loadbalancer": corev1.ServiceTypeLoadBalancer, "nodeport": corev1.ServiceTypeNodePort}

// createService is kubectl create service TYPE. Upstream: kubectl pkg/cmd/create/create_service.go.
func createService(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	kind := serviceTypes[s.name[strings.LastIndexByte(s.name, ' ')+1:]]
	tcp := splitAll(s.flags.all("tcp"))
	clusterIP := s.flags.text("clusterip")
	switch {
	case kind == corev1.ServiceTypeExternalName && !s.flags.has("external-name"):
		return errors.New(`required flag(s) "external-name" not set`)
	case kind == corev1.ServiceTypeExternalName && len(validate.IsDNS1123Subdomain(s.flags.text("external-name"))) > 0:
		return errors.New("invalid service external name " + s.flags.text("external-name"))
	case clusterIP != corev1.ClusterIPNone && kind != corev1.ServiceTypeExternalName && len(tcp) == 0:
		return errors.New("at least one tcp port specifier must be provided")
	}
	svc := &corev1.Service{}
	svc.Name, svc.Labels = name, map[string]string{"app": name}
	svc.Spec.Type, svc.Spec.ExternalName, svc.Spec.ClusterIP = kind, s.flags.text("external-name"), clusterIP
	svc.Spec.Selector = map[string]string{"app": name}
	for _, spec := range tcp {
		port, target, err := parsePorts(spec)
		if err != nil {
			return err
		}
		p := corev1.ServicePort{Name: strings.ReplaceAll(spec, ":", "-"), Protocol: corev1.ProtocolTCP, Port: port, TargetPort: target}
		if kind == corev1.ServiceTypeNodePort {
			p.NodePort = int32(s.flags.number("node-port", 0))
		}
		svc.Spec.Ports = append(svc.Spec.Ports, p)
	}
	word := string(kind)
	if word == "" {
		word = "ClusterIP"
	}
	return s.generate(svc, word+" service")
}

// parsePorts is upstream's create_service.go, the function of that name.
func parsePorts(spec string) (int32, intstr.IntOrString, error) {
	text, target, has := strings.Cut(spec, ":")
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0, intstr.IntOrString{}, err
	}
	if !has {
		return int32(port), intstr.FromInt32(int32(port)), nil
	}
	to := intstr.Parse(target)
	if to.Type == intstr.Int && (to.IntVal < 1 || to.IntVal > 65535) {
		return 0, to, errors.New("must be between 1 and 65535, inclusive")
	}
	return int32(port), to, nil
}

// createQuota is kubectl create quota. Upstream: kubectl pkg/cmd/create/create_quota.go.
func createQuota(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	quota := &corev1.ResourceQuota{}
	quota.Name = name
	if quota.Spec.Hard, err = resourceList(s.flags.text("hard")); err != nil {
		return err
	}
	if scopes := s.flags.text("scopes"); scopes != "" {
		for _, scope := range strings.Split(scopes, ",") {
			if scope == "" {
				return errors.New(`invalid resource quota scope ""`)
			}
			quota.Spec.Scopes = append(quota.Spec.Scopes, corev1.ResourceQuotaScope(scope))
		}
	}
	return s.generate(quota, "quota")
}

// createPriorityClass is kubectl create priorityclass. Upstream: kubectl pkg/cmd/create/create_priorityclass.go.
func createPriorityClass(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	policy := corev1.PreemptionPolicy(s.flags.or("preemption-policy", string(corev1.PreemptLowerPriority)))
	pc := &schedulingv1.PriorityClass{Value: int32(s.flags.number("value", 0)), GlobalDefault: s.flags.yes("global-default"),
		Description: s.flags.text("description"), PreemptionPolicy: &policy}
	pc.Name = name
	return s.generate(pc, "priorityclass")
}

// numeric tells a whole number or a percentage. Upstream: kubectl pkg/cmd/create/create_pdb.go, PodDisruptionBudgetOpts.Validate.
func numeric(text string) bool {
	text = strings.TrimSuffix(text, "%")
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// createPodDisruptionBudget is kubectl create poddisruptionbudget. Upstream: kubectl pkg/cmd/create/create_pdb.go.
func createPodDisruptionBudget(s *session) error {
	name, err := s.oneName()
	if err != nil {
		return err
	}
	least, most := s.flags.text("min-available"), s.flags.text("max-unavailable")
	switch {
	case !s.flags.has("selector"):
		return errors.New("a selector must be specified")
	case least == "" && most == "":
		return errors.New("one of min-available or max-unavailable must be specified")
	case least != "" && most != "":
		return errors.New("min-available and max-unavailable cannot be both specified")
	case least != "" && !numeric(least):
		return errors.New("invalid format specified for min-available")
	case most != "" && !numeric(most):
		return errors.New("invalid format specified for max-unavailable")
	}
	selector, err := labelSelector(s.flags.text("selector"))
	if err != nil {
		return err
	}
	pdb := &policyv1.PodDisruptionBudget{}
	pdb.Name, pdb.Spec.Selector = name, selector
	for text, to := range map[string]**intstr.IntOrString{least: &pdb.Spec.MinAvailable, most: &pdb.Spec.MaxUnavailable} { // order: each sets its own field
		if text != "" {
			v := intstr.Parse(text)
			*to = &v
		}
	}
	return s.generate(pdb, "poddisruptionbudgets")
}

// labelSelector makes a LabelSelector of "app=web,tier in (a,b)".
// Upstream: apimachinery/pkg/apis/meta/v1/helpers.go, ParseToLabelSelector.
func labelSelector(text string) (*metav1.LabelSelector, error) {
	parsed, err := labels.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("couldn't parse the selector string \"%s\": %v", text, err)
	}
	out := &metav1.LabelSelector{}
	requirements, _ := parsed.Requirements()
	for _, r := range requirements {
		values := r.Values()
		switch r.Operator() {
		case "=", "==":
			if out.MatchLabels == nil {
				out.MatchLabels = map[string]string{}
			}
			out.MatchLabels[r.Key()] = strings.Join(values, "")
		case "in":
			out.MatchExpressions = append(out.MatchExpressions, metav1.LabelSelectorRequirement{Key: r.Key(), Operator: metav1.LabelSelectorOpIn, Values: values})
		case "notin":
			out.MatchExpressions = append(out.MatchExpressions, metav1.LabelSelectorRequirement{Key: r.Key(), Operator: metav1.LabelSelectorOpNotIn, Values: values})
		case "exists":
			out.MatchExpressions = append(out.MatchExpressions, metav1.LabelSelectorRequirement{Key: r.Key(), Operator: metav1.LabelSelectorOpExists})
		case "!":
			out.MatchExpressions = append(out.MatchExpressions, metav1.LabelSelectorRequirement{Key: r.Key(), Operator: metav1.LabelSelectorOpDoesNotExist})
		default:
			return nil, fmt.Errorf("%q is not a valid label selector operator", r.Operator())
		}
	}
	return out, nil
}
