package printers

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/eventsv1"
	"kubewalk/playground/api/rbacv1"
)

func (p printer) printNode(o *corev1.Node) []any {
	status := "Unknown"
	for _, c := range o.Status.Conditions {
		if c.Type != corev1.NodeReady {
			continue
		}
		if status = "NotReady"; c.Status == corev1.ConditionTrue {
			status = "Ready"
		}
	}
	if o.Spec.Unschedulable {
		status += ",SchedulingDisabled"
	}
	info := &o.Status.NodeInfo
	kernel := or(info.KernelVersion, "<unknown>")
	if info.Architecture != "" {
		kernel += " (" + info.Architecture + ")"
	}
	return []any{o.Name, status, or(strings.Join(findNodeRoles(o), ","), "<none>"), p.created(o), info.KubeletVersion,
		address(o, corev1.NodeInternalIP), address(o, corev1.NodeExternalIP), or(info.OSImage, "<unknown>"), kernel,
		or(info.ContainerRuntimeVersion, "<unknown>")}
}

func address(o *corev1.Node, kind corev1.NodeAddressType) string {
	for _, a := range o.Status.Addresses {
		if a.Type == kind {
			return a.Address
		}
	}
	return "<none>"
}

// findNodeRoles is upstream's function of that name.
func findNodeRoles(o *corev1.Node) []string {
	var roles []string
	for k, v := range o.Labels { // order: they are sorted below
		if role, ok := strings.CutPrefix(k, "node-role.kubernetes.io/"); ok {
			roles = append(roles, role)
		} else if k == "kubernetes.io/role" {
			roles = append(roles, v)
		}
	}
	return distinct(roles)
}

// coreEvent is an event of events.k8s.io as the core group shows it.
func coreEvent(e *eventsv1.Event) *corev1.Event {
	out := &corev1.Event{
		ObjectMeta: e.ObjectMeta, InvolvedObject: e.Regarding, Reason: e.Reason, Message: e.Note, Source: e.DeprecatedSource, Type: e.Type,
		FirstTimestamp: e.DeprecatedFirstTimestamp, LastTimestamp: e.DeprecatedLastTimestamp, Count: e.DeprecatedCount, EventTime: e.EventTime,
		ReportingController: e.ReportingController, ReportingInstance: e.ReportingInstance,
	}
	if e.Series != nil {
		out.Series = &corev1.EventSeries{Count: e.Series.Count, LastObservedTime: e.Series.LastObservedTime}
	}
	return out
}

func (p printer) printEvent(e *corev1.Event) []any {
	first := p.age(e.FirstTimestamp.Time)
	if e.FirstTimestamp.IsZero() {
		first = p.age(e.EventTime.Time)
	}
	last := first
	if !e.LastTimestamp.IsZero() {
		last = p.age(e.LastTimestamp.Time)
	}
	count := max(e.Count, 1)
	if e.Series != nil {
		last, count = p.age(e.Series.LastObservedTime.Time), e.Series.Count
	}
	target := strings.ToLower(e.InvolvedObject.Kind)
	if e.InvolvedObject.Name != "" {
		target += "/" + e.InvolvedObject.Name
	}
	source := or(e.Source.Component, e.ReportingController)
	if instance := or(e.Source.Host, e.ReportingInstance); instance != "" {
		source += ", " + instance
	}
	return []any{last, e.Type, e.Reason, target, e.InvolvedObject.FieldPath, source, strings.TrimSpace(e.Message), first, int64(count), e.Name}
}

func (p printer) printComponentStatus(o *corev1.ComponentStatus) []any {
	for _, c := range o.Conditions {
		if c.Type != corev1.ComponentHealthy {
			continue
		}
		status := "Unhealthy"
		if c.Status == corev1.ConditionTrue {
			status = "Healthy"
		}
		return []any{o.Name, status, c.Message, c.Error}
	}
	return []any{o.Name, "Unknown", "", ""}
}

func (p printer) printResourceQuota(o *corev1.ResourceQuota) []any {
	var names []string
	for name := range o.Status.Hard { // order: they are sorted below
		names = append(names, string(name))
	}
	slices.Sort(names)
	var requests, limits []string
	for _, name := range names {
		used, hard := o.Status.Used[corev1.ResourceName(name)], o.Status.Hard[corev1.ResourceName(name)]
		text := fmt.Sprintf("%s: %s/%s", name, used.String(), hard.String())
		if strings.HasPrefix(name, "limits.") {
			limits = append(limits, text)
		} else {
			requests = append(requests, text)
		}
	}
	return []any{o.Name, strings.Join(requests, ", "), strings.Join(limits, ", "), p.created(o)}
}

// printBinding is for both kinds of role bindings.
// Upstream: printers.go, printRoleBinding and printClusterRoleBinding.
func (p printer) printBinding(o api.Object, ref rbacv1.RoleRef, subjects []rbacv1.Subject) []any {
	var users, groups, accounts []string
	for _, s := range subjects {
		switch s.Kind {
		case rbacv1.ServiceAccountKind:
			accounts = append(accounts, s.Namespace+"/"+s.Name)
		case rbacv1.UserKind:
			users = append(users, s.Name)
		case rbacv1.GroupKind:
			groups = append(groups, s.Name)
		}
	}
	return []any{o.GetName(), ref.Kind + "/" + ref.Name, p.created(o),
		strings.Join(users, ", "), strings.Join(groups, ", "), strings.Join(accounts, ", ")}
}

func paramKind(k *admissionregistrationv1.ParamKind) string {
	if k == nil {
		return "<unset>"
	}
	return k.APIVersion + "/" + k.Kind
}

// paramRef names what a policy's parameters are read from; whether that is in
// a namespace cannot be told from here.
func paramRef(r *admissionregistrationv1.ParamRef) string {
	switch {
	case r == nil:
	case r.Name != "" && r.Namespace != "":
		return r.Namespace + "/" + r.Name
	case r.Name != "":
		return "*/" + r.Name
	case r.Selector != nil:
		return formatLabelSelector(r.Selector)
	}
	return "<unset>"
}
