package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/controlplane/cloud"
	"kubewalk/playground/operator/controllerruntime/webhook"
	"kubewalk/playground/operator/kubebuilder"
	"kubewalk/playground/operator/podlogger"
	"kubewalk/playground/operator/samplecontroller"
	"kubewalk/playground/sim"
)

// OperatorNames are the controllers that a cluster may have beside those of the
// controller manager, by their components.
var OperatorNames = []string{podlogger.Name, samplecontroller.Name, kubebuilder.Name}

// operatorFaults are the ways in which an operator, or the cloud behind its
// controllers, can fail beside crashing, with spaces between them. The page's menu
// has this table, too.
var operatorFaults = map[string]string{
	podlogger.Name:        noSpace,
	samplecontroller.Name: swallowErrors + " " + noOwner + " " + ownKindOnly,
	kubebuilder.Name:      swallowErrors + " " + noOwner + " " + noFinalizer + " " + noPredicate,
	cloud.Name:            quota + " " + apiErrors,
}

// OperatorFaults are those of one component; none if it has none.
func OperatorFaults(component string) []string { return strings.Fields(operatorFaults[component]) }

// startOperator brings an operator up.
func (c *Cluster) startOperator(name string) *sim.Component {
	switch name {
	case podlogger.Name:
		return podlogger.Start(c.kernel, c.Transport(), &c.stdout)
	case kubebuilder.Name:
		return kubebuilder.Start(c.kernel, c.Transport(), &c.websiteMistakes, &c.websiteWebhooks)
	}
	return samplecontroller.Start(c.kernel, c.Transport(), &c.mistakes)
}

// operatorFault is what an operator's fault sets; nil for what is none.
func (c *Cluster) operatorFault(component, fault string) *bool {
	if !slices.Contains(OperatorFaults(component), fault) {
		return nil
	}
	if component == kubebuilder.Name {
		return map[string]*bool{
			swallowErrors: &c.websiteMistakes.SwallowErrors,
			noOwner:       &c.websiteMistakes.NoOwner,
			noFinalizer:   &c.websiteMistakes.NoFinalizer,
			noPredicate:   &c.websiteMistakes.NoPredicate,
		}[fault]
	}
	return map[string]*bool{
		noSpace:       &c.stdout.Full, // the disk to which it prints is full
		swallowErrors: &c.mistakes.SwallowErrors,
		noOwner:       &c.mistakes.NoOwner,
		ownKindOnly:   &c.mistakes.OwnKindOnly,
		quota:         &c.outage.Quota,
		apiErrors:     &c.outage.APIErrors,
	}[fault]
}

// outside leads to the webhooks of an operator, which is in no Pod: by its URL, as to a manager that runs on its author's machine.
func (c *Cluster) outside(p *sim.Proc, host, path string, body []byte, timeout time.Duration) (int, []byte, bool, error) {
	if host != kubebuilder.Name+webhook.Address || !slices.Contains(c.config.Operators, kubebuilder.Name) {
		return 0, nil, false, nil
	}
	status, answer, err := c.websiteWebhooks.Post(p, path, body, timeout)
	if err != nil {
		err = fmt.Errorf("dial tcp %s: %w", host, err)
	}
	return status, answer, true, err
}

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
	for _, name := range c.StartLater {
		if !slices.Contains(c.Operators, name) {
			return fmt.Errorf("operator %q cannot start later: it is not among the operators", name)
		}
	}
	return nil
}

// operators puts them on the agenda.
func (c *Cluster) operators() {
	for _, name := range c.config.Operators {
		p := program(name, func() *sim.Component { return c.startOperator(name) })
		if slices.Contains(c.config.StartLater, name) {
			c.byName[name] = p
			continue
		}
		c.boot(p, operatorsAt)
	}
}
