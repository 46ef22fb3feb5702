package demofile

import (
	"math"
	"strings"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
)

// whatIf reads a counterfactual, with exactly one switch.
func (b *builder) whatIf(v value, s *scenario.Scenario) scenario.WhatIf {
	var switches []string
	for _, k := range cluster.SwitchKinds {
		switches = append(switches, string(k))
	}
	m := v.mapping(whatIfForm)
	w := scenario.WhatIf{ID: m["id"].Text("id")}
	w.Label = b.needed(v, m, "label", "the label of a counterfactual")
	w.Text = b.needed(v, m, "text", "the text of a counterfactual")
	var thrown []string
	for _, k := range switches {
		if m[k].There() {
			thrown = append(thrown, k)
		}
	}
	if len(thrown) != 1 {
		found := "nothing"
		if len(thrown) > 1 {
			found = listed(thrown)
		}
		b.Fail(v.Key, "a counterfactual changes one thing, not %s: %s", found, listed(switches))
		return w
	}
	w.Switch.Kind = cluster.SwitchKind(thrown[0])
	b.theSwitch(&w.Switch, m[thrown[0]], s)
	return w
}

// theSwitch reads what stands behind a switch's key: a component, or a mapping.
func (b *builder) theSwitch(to *cluster.Switch, v value, s *scenario.Scenario) {
	known := s.Cluster.Switchable(to.Kind)
	var m map[string]value
	key := "component"
	switch {
	case to.Kind == cluster.WithoutExpectations && v.IsMapping():
		m = v.mapping(forgetForm)
	case to.Kind == cluster.StaleCache:
		m = v.mapping(staleForm)
	case to.Kind == cluster.BrokenWatch:
		key = "client"
		m = v.mapping(brokenForm)
	case to.Kind == cluster.KilledMidBatch:
		m = v.mapping(killedForm)
	default:
		to.Component = v.OneOf("component", known)
		return
	}
	if len(m) == 0 {
		return // which has been said
	}
	if component := m[key]; component.There() {
		to.Component = component.OneOf("component", known)
	} else {
		b.Fail(v.Key, "%s needs a %s: %s", to.Kind, key, listed(known))
		to.Component = known[0] // one mistake is enough
	}
	to.Resource = m["resource"].resource()
	to.From = b.from(m, s)
	to.Late, to.For = m["late"].duration("late", 0), m["for"].duration("for", 0)
	switch to.Kind {
	case cluster.StaleCache:
		if (to.Late > 0) == (to.For > 0) {
			b.Fail(v.Key, "a cache is either late or stops updating for a while: write late: 2s, or after: up and for: 10s")
			to.Late, to.For = time.Second, 0
		}
	case cluster.KilledMidBatch:
		if to.Resource == "" {
			to.Resource = "pods"
		}
		to.Nth = int(m["create"].whole("create", 1, math.MaxInt32))
		to.For = m["restart"].duration("restart", 0)
		if to.Nth == 0 {
			if !m["create"].There() {
				b.Fail(v.Key, "killed-mid-batch needs create: at which request to create is it killed?")
			}
			to.Nth = 1
		}
	}
}

// from is when a switch begins: so long after a step, or after the end of the setup
// when it names none; without either, from the start.
func (b *builder) from(m map[string]value, s *scenario.Scenario) time.Duration {
	if !m["after"].There() && !m["at"].There() {
		return 0
	}
	at := s.Setup
	if after := m["after"]; after.There() {
		var ids []string
		for _, st := range s.Steps {
			if st.ID != "" {
				ids = append(ids, st.ID)
			}
		}
		id := after.OneOf("step", ids)
		if st, ok := s.Step(id); ok {
			at = st.At
		}
	}
	if text := m["at"].Text("at"); text != "" {
		at += m["at"].parseDuration("at", strings.TrimPrefix(text, "+"))
	}
	return at
}
