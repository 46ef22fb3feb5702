package cluster

import (
	"fmt"
	"slices"
	"time"

	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/operator/podlogger"
	"kubewalk/playground/sim"
)

// OperatorNames are the controllers that a cluster may have beside those of the
// controller manager, by their components.
var OperatorNames = []string{podlogger.Name}

// operatorsAt is when they start: behind the controllers, as Pods of a user would.
const operatorsAt = 1500 * time.Millisecond

func isOperator(name string) bool { return slices.Contains(OperatorNames, name) }

func (c Config) validateOperators() error {
	for i, name := range c.Operators {
		if !isOperator(name) {
			return fmt.Errorf("there is no operator %q (%s)", name, suggest.Cure(name, OperatorNames))
		}
		if slices.Contains(c.Operators[:i], name) {
			return fmt.Errorf("operator %q stands there twice", name)
		}
	}
	return nil
}

// operators puts them on the agenda.
func (c *Cluster) operators() {
	for _, name := range c.config.Operators {
		c.boot(program(name, func() *sim.Component { return podlogger.Start(c.kernel, c.Transport(), &c.stdout) }), operatorsAt)
	}
}
