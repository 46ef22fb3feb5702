package demofile

import (
	"strings"

	"kubewalk/playground/cluster"
)

// whom reads who a fault befalls: a node or a component.
func (a *action) whom(v value, nodes bool, components []string) {
	var known []string
	if nodes {
		known = nodeNames(a.scenario)
	}
	name := v.OneOf("component", append(append([]string{}, components...), known...))
	for _, node := range known {
		if name == node {
			a.Node = name
			return
		}
	}
	a.Component = name
}

// components are those of the demo's cluster for which that is true.
func (a *action) components(is func(name string) bool) (out []string) {
	for _, name := range a.scenario.Cluster.Components() {
		if is(name) {
			out = append(out, name)
		}
	}
	return out
}

// partition reads the name of a node or a component.
func (a *action) partition() string {
	a.whom(a.value, true, a.components(cluster.CanPartition))
	return ""
}

// slow reads {component: kube-scheduler, by: 2s}.
func (a *action) slow() string {
	m := a.value.mapping(slowForm)
	a.theComponent(m["component"], slowForm.example, func(name string) bool { return !strings.HasPrefix(name, "containerd/") })
	if by := m["by"]; by.There() {
		a.Value = by.duration("by", 0).String()
	} else {
		a.Fail(a.value.Key, "slow needs by, as in %s", slowForm.example)
	}
	a.checked()
	return ""
}

func (a *action) theComponent(v value, example string, is func(string) bool) {
	if !v.There() {
		a.Fail(a.value.Key, "%s needs a component, as in %s", a.Kind, example)
		return
	}
	a.whom(v, false, a.components(is))
}

// failing reads the name of a component that crashes again and again, or {component: kube-apiserver, with: 503 30%}.
func (a *action) failing() string {
	can := func(name string) bool {
		return name == cluster.APIServer || name == cluster.Etcd || a.scenario.Cluster.CanCrashLoop(name)
	}
	if _, ok := a.value.Scalar(); ok {
		a.whom(a.value, false, a.components(can))
	} else {
		m := a.value.mapping(failForm)
		a.theComponent(m["component"], failForm.example, can)
		a.Value = m["with"].Text("with")
	}
	a.checked()
	return ""
}

// heal reads the name of a node or a component, or {component: etcd, of: slow}.
func (a *action) heal() string {
	if _, ok := a.value.Scalar(); ok {
		a.whom(a.value, true, a.scenario.Cluster.Components())
		return ""
	}
	m := a.value.mapping(healForm)
	switch {
	case m["node"].There():
		a.theNode(m["node"], healForm.example)
	default:
		a.theComponent(m["component"], healForm.example, func(string) bool { return true })
	}
	if of := m["of"]; of.There() {
		a.Value = of.OneOf("fault", []string{string(cluster.Partition), string(cluster.Slow), string(cluster.Fail)})
	}
	return ""
}

// checked says what the cluster would say of an input whose fields are all there.
func (a *action) checked() {
	if a.Component+a.Node == "" {
		return // which has been said
	}
	if err := a.Input.Validate(); err != nil {
		_, why, _ := strings.Cut(err.Error(), ": ")
		a.Fail(a.value.Key, "%s: %s", a.Kind, why)
	}
}
