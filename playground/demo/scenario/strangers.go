package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/cluster/suggest"
)

// Strangers finds matches that ask for a component which is not among those that
// there are: what they count never happens, whatever a claim says of the number.
func (s *Scenario) Strangers(components []string) []Failure {
	var l checklist
	s.matches(func(path string, m *Match) {
		if m != nil {
			if cure := stranger(m.Who, components); cure != "" {
				l.add(path+".who", "%s", cure)
			}
		}
	})
	return l
}

// Check says why nothing can match: a kind of event, or a component, that is not there.
func (m Match) Check(components []string) error {
	var l checklist
	if opKnown(&l, "", m); len(l) > 0 {
		return errors.New(l[0].Message)
	}
	if wrong := stranger(m.Who, components); wrong != "" {
		return errors.New(wrong)
	}
	return nil
}

// stranger says that nobody is called so; "" when somebody is.
func stranger(who string, components []string) string {
	if who == "" || slices.ContainsFunc(components, func(name string) bool { return glob(who, name) }) {
		return ""
	}
	known := slices.Clone(components)
	for _, name := range components {
		if kind, _, several := strings.Cut(name, "/"); several { // kubelet/node-1
			known = append(known, kind+"/*")
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	return fmt.Sprintf("no component %q runs in this cluster (%s)", who, suggest.Cure(who, known))
}

// matches calls do for each match of the scenario, some of which are nil.
func (s *Scenario) matches(do func(path string, m *Match)) {
	claim := func(path string, c *Claim) {
		do(path+".events", c.Events)
		for j := range c.Order {
			do(fmt.Sprintf("%s.order[%d]", path, j), &c.Order[j])
		}
		for j := range c.Before {
			do(fmt.Sprintf("%s.before[%d]", path, j), &c.Before[j])
		}
	}
	parts := func(path string, list []Part) {
		for j := range list {
			claim(fmt.Sprintf("%s[%d]", path, j), &list[j].Claim)
		}
	}
	for i := range s.Claims {
		claim(fmt.Sprintf("claims[%d]", i), &s.Claims[i])
	}
	for i := range s.Marks {
		do(fmt.Sprintf("marks[%d].when", i), s.Marks[i].When)
	}
	for i := range s.Exercises {
		x, path := &s.Exercises[i], fmt.Sprintf("exercises[%d]", i)
		parts(path+".goal", x.Goal)
		parts(path+".never", x.Never)
		for j := range x.Hints {
			parts(fmt.Sprintf("%s.hints[%d].when", path, j), x.Hints[j].When)
		}
	}
}
