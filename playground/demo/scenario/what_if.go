package scenario

import (
	"fmt"
	"strings"

	"kubewalk/playground/cluster"
	"kubewalk/playground/cluster/suggest"
)

// WhatIf is a counterfactual: the same demo, with the same seed, in a cluster of
// which one component is built otherwise than the real one.
type WhatIf struct {
	ID    string            `json:"id"`
	Label map[string]string `json:"label"` // by language: what is switched
	Text  map[string]string `json:"text"`  // by language: one sentence on it
	// Switch is what is different.
	Switch cluster.Switch `json:"switch"`
}

// World is the scenario in one of its counterfactuals; "" is the real one. What
// is claimed about others does not hold in it.
func (s *Scenario) World(whatIf string) (*Scenario, error) {
	if whatIf == "" {
		return s, nil
	}
	for i := range s.WhatIf {
		if s.WhatIf[i].ID == whatIf {
			world := *s
			world.Cluster.Switch = &s.WhatIf[i].Switch
			return &world, nil
		}
	}
	return nil, fmt.Errorf("unknown counterfactual %q (%s)", whatIf, suggest.Cure(whatIf, s.whatIfs()))
}

func (s *Scenario) whatIfs() (ids []string) {
	for _, w := range s.WhatIf {
		ids = append(ids, w.ID)
	}
	return ids
}

func (s *Scenario) whatIfProblems(l *checklist) {
	seen := map[string]bool{}
	for i, w := range s.WhatIf {
		path := fmt.Sprintf("whatIf[%d]", i)
		switch {
		case w.ID == "":
			l.add(path, "a counterfactual needs an id")
		case seen[w.ID]:
			l.add(path+".id", "two counterfactuals are called %q", w.ID)
		}
		seen[w.ID] = true
		if err := w.Switch.Validate(s.Cluster); err != nil {
			l.add(path+"."+string(w.Switch.Kind), "%v", err)
		}
	}
}

// compared is how a count is compared with what it is in the real world: "> real".
func (c Claim) compared() (op string, ok bool) { return strings.CutSuffix(c.Count, "real") }
