package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
)

// runExpose is kubectl expose: a Service for the Pods of something.
// Upstream: kubectl pkg/cmd/expose/expose.go, RunExpose.
func runExpose(s *session) error {
	return s.eachFetched(s.args, func(i *info) error {
		svc, err := s.serviceFor(i)
		if err != nil {
			return err
		}
		if s.flags.text("field-manager") == "" {
			s.flags["field-manager"] = []string{"kubectl-expose"}
		}
		made := &info{kind: api.KindOf(svc), namespace: i.namespace, name: svc.Name, tree: tree(svc), typed: true}
		made.tree["apiVersion"], made.tree["kind"] = "v1", "Service"
		s.nameNamespace(made)
		obj, err := s.create(made, s.flags.text("field-manager"))
		if err != nil {
			return err
		}
		return s.show(obj, made, "exposed")
	})
}

func (s *session) serviceFor(i *info) (*corev1.Service, error) {
	selector, err := selectorOf(i)
	if err != nil {
		return nil, err
	}
	if text := s.flags.text("selector"); text != "" {
		if selector, err = labelPairs(text); err != nil {
			return nil, err
		}
	}
	svc := &corev1.Service{}
	svc.Name = s.flags.or("name", i.name)
	if len(svc.Name) > 63 {
		svc.Name = svc.Name[:63]
	}
	svc.Labels = i.object.GetLabels()
	if text := s.flags.text("labels"); text != "" {
		if svc.Labels, err = labelPairs(text); err != nil {
			return nil, err
		}
	}
	svc.Spec.Selector = selector
	if svc.Spec.Ports, err = s.portsFor(i); err != nil {
		return nil, err
	}
	svc.Spec.Type, svc.Spec.ClusterIP = corev1.ServiceType(s.flags.text("type")), s.flags.text("cluster-ip")
	if ip := s.flags.text("external-ip"); ip != "" {
		svc.Spec.ExternalIPs = []string{ip}
	}
	switch affinity := corev1.ServiceAffinity(s.flags.text("session-affinity")); affinity {
	case "", corev1.ServiceAffinityNone, corev1.ServiceAffinityClientIP:
		svc.Spec.SessionAffinity = affinity
	default:
		return nil, fmt.Errorf("unknown session affinity: %s", affinity)
	}
	return svc, nil
}

// selectorOf are the labels by which a Service finds the Pods of something.
// Upstream: polymorphichelpers/mapbasedselectorforobject.go.
func selectorOf(i *info) (map[string]string, error) {
	fromLabels := func(selector *metav1.LabelSelector) (map[string]string, error) {
		if selector == nil || len(selector.MatchLabels) == 0 {
			return nil, fmt.Errorf("couldn't retrieve selectors via --selector flag or introspection: invalid %s: no selectors, therefore cannot be exposed",
				strings.ToLower(i.kind.Kind))
		}
		if len(selector.MatchExpressions) > 0 {
			return nil, fmt.Errorf(
				"couldn't retrieve selectors via --selector flag or introspection: couldn't convert expressions - \"%+v\" to map-based selector format",
				selector.MatchExpressions)
		}
		return selector.MatchLabels, nil
	}
	switch o := i.object.(type) {
	case *corev1.Pod:
		if len(o.Labels) == 0 {
			return nil, errors.New("couldn't retrieve selectors via --selector flag or introspection: the pod has no labels and cannot be exposed")
		}
		return o.Labels, nil
	case *corev1.Service:
		if len(o.Spec.Selector) == 0 {
			return nil, errors.New("couldn't retrieve selectors via --selector flag or introspection: the service has no pod selector set")
		}
		return o.Spec.Selector, nil
	case *corev1.ReplicationController:
		return o.Spec.Selector, nil
	case *appsv1.Deployment:
		return fromLabels(o.Spec.Selector)
	case *appsv1.ReplicaSet:
		return fromLabels(o.Spec.Selector)
	}
	return nil, fmt.Errorf("cannot expose a %s", i.kind.GroupKind())
}

// portsFor are the Service's ports: as flags say, or the containers'.
func (s *session) portsFor(i *info) ([]corev1.ServicePort, error) {
	protocols := map[string]corev1.Protocol{}
	var found []string
	if svc, ok := i.object.(*corev1.Service); ok {
		for _, p := range svc.Spec.Ports {
			found = append(found, strconv.Itoa(int(p.Port)))
			protocols[strconv.Itoa(int(p.Port))] = p.Protocol
		}
	} else if spec := podSpecOf(i.object); spec != nil {
		for _, c := range spec.Containers {
			for _, p := range c.Ports {
				text := strconv.Itoa(int(p.ContainerPort))
				if !slices.Contains(found, text) {
					found = append(found, text)
				}
				protocols[text] = p.Protocol
			}
		}
	}
	if text := s.flags.text("port"); text != "" {
		found = strings.Split(text, ",")
	}
	if len(found) == 0 && s.flags.text("cluster-ip") != corev1.ClusterIPNone {
		return nil, errors.New("couldn't find port via --port flag or introspection")
	}
	var out []corev1.ServicePort
	for n, text := range found {
		port, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		p := corev1.ServicePort{Port: int32(port), Protocol: corev1.Protocol(s.flags.or("protocol", "TCP")), TargetPort: intstr.FromInt32(int32(port))}
		if is, ok := protocols[text]; ok && !s.flags.has("protocol") && is != "" {
			p.Protocol = is
		}
		if len(found) > 1 {
			p.Name = fmt.Sprintf("port-%d", n+1)
		}
		if target := s.flags.text("target-port"); target != "" {
			p.TargetPort = intstr.Parse(target)
		}
		out = append(out, p)
	}
	return out, nil
}
