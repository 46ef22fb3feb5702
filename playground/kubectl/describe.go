package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv2"
	"kubewalk/playground/api/batchv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/networkingv1"
	"kubewalk/playground/api/policyv1"
	"kubewalk/playground/api/rbacv1"
	"kubewalk/playground/api/schedulingv1"
)

// runDescribe is kubectl describe. Kinds without a layout of their own are
// shown field by field.
// Upstream: kubectl pkg/cmd/describe/describe.go, DescribeOptions.Run.
func runDescribe(s *session) error {
	if len(s.args) == 0 && !s.flags.has("filename") {
		return errors.New("You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of supported resources.\n")
	}
	if len(s.args) == 1 && !strings.Contains(s.args[0], "/") {
		s.flags["all"] = []string{"true"}
	}
	wanted, err := s.infos(s.args)
	if err != nil {
		return err
	}
	// What is there is described, beside what is not. Upstream: describe.go, DescribeOptions.Run.
	var infos []*info
	var failed aggregate
	begun := false // the argument is what names begin with
	for _, i := range wanted {
		if i.object == nil {
			_, err = s.read(i, false)
		}
		if apierrors.IsNotFound(err) && len(s.args) == 2 {
			if infos, err = s.beginning(s.args[0], s.args[1], err); err != nil {
				return err
			}
			begun = true
			break
		}
		if err != nil {
			failed = append(failed, err)
		} else {
			infos = append(infos, i)
		}
		err = nil
	}
	if len(infos) == 0 && len(failed) == 0 {
		text := "No resources found"
		if !s.flags.yes("all-namespaces") {
			text = fmt.Sprintf("No resources found in %s namespace.", s.namespace)
		}
		s.complain(text)
		return nil
	}
	events := s.flags.yesOr("show-events", len(wanted) == 1 && !begun)
	var all []string
	for _, i := range infos {
		d := &describer{session: s}
		d.object(i.object)
		if events && hasEvents(i.object) {
			if err := d.events(i); err != nil {
				return err
			}
		}
		all = append(all, d.aligned())
	}
	if len(all) > 0 {
		s.printf("%s", strings.Join(all, "\n\n"))
	}
	return failed.orNil()
}

// hasEvents says that describe shows events of the kind.
func hasEvents(obj api.Object) bool {
	switch obj.(type) {
	case *corev1.Secret, *corev1.Namespace, *corev1.ResourceQuota, *corev1.LimitRange,
		*rbacv1.Role, *rbacv1.ClusterRole, *rbacv1.RoleBinding, *rbacv1.ClusterRoleBinding, *networkingv1.NetworkPolicy:
		return false
	}
	return true
}

// beginning are the objects whose names begin so, for a name that there is not.
// Upstream: describe.go, DescribeMatchingResources.
func (s *session) beginning(kind, prefix string, notFound error) ([]*info, error) {
	s.flags["all"] = []string{"true"}
	infos, err := s.infos([]string{kind})
	if err != nil {
		return nil, err
	}
	infos = slices.DeleteFunc(infos, func(i *info) bool { return !strings.HasPrefix(i.name, prefix) })
	if len(infos) == 0 {
		return nil, notFound
	}
	return infos, nil
}

// object is what describe shows of an object, but for its events.
// Upstream: kubectl pkg/describe/describe.go, describerMap.
func (d *describer) object(obj api.Object) {
	switch o := obj.(type) {
	case *corev1.Pod:
		d.pod(o)
	case *corev1.Node:
		d.node(o)
	case *corev1.Service:
		d.service(o)
	case *corev1.Namespace:
		d.namespaceObject(o)
	case *corev1.ConfigMap:
		d.configMap(o)
	case *corev1.Secret:
		d.secret(o)
	case *corev1.ResourceQuota:
		d.quota(o)
	case *corev1.PersistentVolumeClaim:
		d.claim(o)
	case *appsv1.Deployment:
		d.deployment(o)
	case *appsv1.ReplicaSet:
		d.replicaSet(o)
	case *appsv1.DaemonSet:
		d.daemonSet(o)
	case *appsv1.StatefulSet:
		d.statefulSet(o)
	case *batchv1.Job:
		d.job(o)
	case *autoscalingv2.HorizontalPodAutoscaler:
		d.autoscaler(o)
	case *policyv1.PodDisruptionBudget:
		d.budget(o)
	case *schedulingv1.PriorityClass:
		d.line(0, "Name:\t%s", o.Name)
		d.line(0, "Value:\t%v", o.Value)
		d.line(0, "GlobalDefault:\t%v", o.GlobalDefault)
		policy := ""
		if o.PreemptionPolicy != nil {
			policy = string(*o.PreemptionPolicy)
		}
		d.line(0, "PreemptionPolicy:\t%s", policy)
		d.line(0, "Description:\t%s", o.Description)
		d.line(0, "Annotations:\t%s", formatLabels(o.Annotations))
	case *rbacv1.Role:
		d.role(obj, o.Rules)
	case *rbacv1.ClusterRole:
		d.role(obj, o.Rules)
	case *rbacv1.RoleBinding:
		d.binding(obj, o.RoleRef, o.Subjects)
	case *rbacv1.ClusterRoleBinding:
		d.binding(obj, o.RoleRef, o.Subjects)
	default:
		if !d.rare(obj) {
			d.generic(obj)
		}
	}
}

// generic shows an object field by field. Upstream: describe.go, genericDescriber.
func (d *describer) generic(obj api.Object) {
	d.head(obj.GetObjectMeta(), true)
	d.labels("Labels", obj.GetLabels())
	d.annotations(obj.GetAnnotations())
	t := d.shown(obj)
	if m, ok := t["metadata"].(map[string]any); ok {
		for _, k := range []string{"name", "namespace", "labels", "annotations", "managedFields"} {
			delete(m, k)
		}
	}
	d.fields(0, t)
}

func (d *describer) fields(level int, t map[string]any) {
	for _, k := range sortedKeys(t) {
		switch v := t[k].(type) {
		case map[string]any:
			d.line(level, "%s:", spaced(k))
			d.fields(level+1, v)
		case []any:
			d.line(level, "%s:", spaced(k))
			for _, item := range v {
				if m, ok := item.(map[string]any); ok {
					d.fields(level+1, m)
				} else {
					d.line(level+1, "%s", goText(item))
				}
			}
		default:
			d.line(level, "%s:\t%s", spaced(k), goText(v))
		}
	}
}

// spaced makes "Resource Version" of resourceVersion.
// Upstream: describe.go, smartLabelFor.
func spaced(field string) string {
	for _, r := range field {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-') {
			return field
		}
	}
	var words []string
	from := 0
	for i := 1; i <= len(field); i++ {
		if i == len(field) || upper(field[i]) && (!upper(field[i-1]) || i+1 < len(field) && !upper(field[i+1])) {
			word := field[from:i]
			if u := strings.ToUpper(word); u == "API" || u == "URL" || u == "UID" || u == "GUID" {
				word = u
			} else if strings.ToLower(word) == word {
				word = strings.ToUpper(word[:1]) + word[1:]
			}
			words, from = append(words, word), i
		}
	}
	return strings.Join(words, " ")
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

// events are those about the object. Upstream: describe.go, searchEvents and DescribeEvents.
func (d *describer) events(i *info) error {
	selector := "involvedObject.name=" + i.name + ",involvedObject.kind=" + i.kind.Kind
	if i.namespace != "" {
		selector += ",involvedObject.namespace=" + i.namespace
	}
	// The events of what is in no namespace are in some.
	found, err := d.items(eventKind, i.namespace, "", selector)
	if err != nil {
		return err
	}
	uid := string(i.object.GetUID())
	found = slices.DeleteFunc(found, func(obj api.Object) bool {
		about := string(obj.(*corev1.Event).InvolvedObject.UID)
		return about != uid && about != "" && about != i.name
	})
	if len(found) == 0 {
		d.line(0, "Events:\t<none>")
		return nil
	}
	// What stands above has columns of its own.
	above := d.aligned()
	d.text.Reset()
	d.line(0, "Events:")
	d.line(1, "Type\tReason\tAge\tFrom\tMessage")
	d.line(1, "----\t------\t----\t----\t-------")
	for _, e := range asEvents(found) {
		source := e.Source.Component
		if source == "" {
			source = e.ReportingController
		}
		message := strings.TrimSpace(e.Message)
		if e.InvolvedObject.FieldPath != "" {
			message = e.InvolvedObject.FieldPath + ": " + message
		}
		d.line(1, "%s\t%s\t%s\t%s\t%s", e.Type, e.Reason, d.interval(e), source, message)
	}
	below := d.aligned()
	d.text.Reset()
	d.text.WriteString(above + below)
	return nil
}
