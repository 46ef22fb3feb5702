package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api/x509"
	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/controlplane/cloud"
	"kubewalk/playground/operator/accurate"
	"kubewalk/playground/operator/controllerruntime/webhook"
	"kubewalk/playground/operator/kubebuilder"
	"kubewalk/playground/operator/podlogger"
	"kubewalk/playground/operator/samplecontroller"
	"kubewalk/playground/operator/secretdistributor"
	"kubewalk/playground/sim"
)

// operator is a controller that a cluster may have beside those of the controller manager.
type operator struct {
	name  string                            // its component
	start func(c *Cluster) *sim.Component   // nil for what a Pod starts: see guests.go
	wrong func(c *Cluster) map[string]*bool // what its faults set, by their names; nil for none
}

func operators() []operator {
	return append([]operator{
		{podlogger.Name, func(c *Cluster) *sim.Component { return podlogger.Start(c.kernel, c.Transport(), &c.stdout) },
			func(c *Cluster) map[string]*bool { return map[string]*bool{noSpace: &c.stdout.Full} }}, // the disk to which it prints is full
		{samplecontroller.Name, func(c *Cluster) *sim.Component { return samplecontroller.Start(c.kernel, c.Transport(), &c.mistakes) },
			func(c *Cluster) map[string]*bool {
				m := &c.mistakes
				return map[string]*bool{noRequeue: &m.NoRequeue, swallowErrors: &m.SwallowErrors, noOwner: &m.NoOwner, ownKindOnly: &m.OwnKindOnly}
			}},
		{kubebuilder.Name, func(c *Cluster) *sim.Component {
			return kubebuilder.Start(c.kernel, c.Transport(), &c.websiteMistakes, &c.websiteWebhooks)
		}, func(c *Cluster) map[string]*bool {
			m := &c.websiteMistakes
			return map[string]*bool{swallowErrors: &m.SwallowErrors, noOwner: &m.NoOwner, noFinalizer: &m.NoFinalizer, noPredicate: &m.NoPredicate}
		}},
		{secretdistributor.Name, func(c *Cluster) *sim.Component {
			return secretdistributor.Start(c.kernel, c.Transport(), &c.secretMistakes)
		},
			func(c *Cluster) map[string]*bool {
				m := &c.secretMistakes
				return map[string]*bool{ignoreCopies: &m.IgnoreCopies, overwrite: &m.Overwrite}
			}},
		{accurate.Name, func(c *Cluster) *sim.Component {
			return accurate.Start(c.kernel, c.Transport(), accurate.DefaultConfig(), &c.accurateWebhooks)
		}, nil},
	}, slices.Concat(hookOperators(), clusterAPI(), storageDriver())...)
}

// ClusterAPI are the programs of Cluster API, which in the browser are in the larger build.
var ClusterAPI = []string{"capi-controller-manager", "capi-kubeadm-bootstrap-controller-manager", toyProvider}

// ControlPlaneProvider is one of them, too, where a cluster makes others.
const ControlPlaneProvider = "capi-kubeadm-control-plane-controller-manager"

// toyProvider is the infrastructure provider of the toy cloud.
const toyProvider = "toy-controller-manager"

// HookOperator is shell-operator, and HookInGo does in Go what a hook of it does. In the browser they are in the larger build.
const (
	HookOperator = "shell-operator"
	HookInGo     = "teams-operator"
)

// DiskDriver is the controller's part of the storage driver, which in the browser is in the larger build. A cluster that has it can have
// CSI drivers: its Pods start them.
const DiskDriver = "disk-controller"

// usesCSI tells whether drivers can run.
func (c Config) usesCSI() bool { return slices.Contains(c.Operators, DiskDriver) }

// usesHooks tells whether shell-operator can run, or what does the same in Go.
func (c Config) usesHooks() bool {
	return slices.Contains(c.Operators, HookOperator) || slices.Contains(c.Operators, HookInGo)
}

// usesClusterAPI tells whether one of its programs runs.
func (c Config) usesClusterAPI() bool {
	return slices.ContainsFunc(ClusterAPI, func(name string) bool { return slices.Contains(c.Operators, name) })
}

// firstBoot is what a machine of the configuration has been told: in the toy cloud, it is one of its instances.
func (c *Cluster) firstBoot(node string) (first firstBoot) {
	if slices.Contains(c.config.Operators, toyProvider) {
		first.providerID = "toy:///" + node
	}
	return first
}

// OperatorNames are the operators, by their components.
var OperatorNames = func() (names []string) {
	for _, o := range operators() {
		names = append(names, o.name)
	}
	return names
}()

// operatorNamed finds one of them.
func operatorNamed(name string) operator { return operators()[slices.Index(OperatorNames, name)] }

// operatorFaults are the ways in which an operator, or the cloud behind its
// controllers, can fail beside crashing, with spaces between them. The page's menu
// has this table, too.
var operatorFaults = map[string]string{
	podlogger.Name:         noSpace,
	samplecontroller.Name:  noRequeue + " " + swallowErrors + " " + noOwner + " " + ownKindOnly,
	kubebuilder.Name:       swallowErrors + " " + noOwner + " " + noFinalizer + " " + noPredicate,
	secretdistributor.Name: ignoreCopies + " " + overwrite,
	cloud.Name:             quota + " " + routeQuota + " " + apiErrors,
}

// OperatorFaults are those of one component; none if it has none.
func OperatorFaults(component string) []string { return strings.Fields(operatorFaults[component]) }

// operatorFault is what an operator's fault sets; nil for what is none.
func (c *Cluster) operatorFault(component, fault string) *bool {
	switch {
	case !slices.Contains(OperatorFaults(component), fault):
		return nil
	case component == cloud.Name:
		return map[string]*bool{quota: &c.outage.Quota, routeQuota: &c.outage.RouteQuota, apiErrors: &c.outage.APIErrors}[fault]
	}
	return operatorNamed(component).wrong(c)[fault]
}

// outside leads to the webhooks of an operator, which is in no Pod: by its URL, as to a manager that runs on its author's machine.
func (c *Cluster) outside(p *sim.Proc, host, path string, body []byte, timeout time.Duration, verify func(shown string) error) (int, []byte, bool, error) {
	name, known := strings.CutSuffix(host, webhook.Address)
	server := map[string]*webhook.Server{kubebuilder.Name: &c.websiteWebhooks, accurate.Name: &c.accurateWebhooks}[name]
	if !known || server == nil || !slices.Contains(c.config.Operators, name) {
		return 0, nil, false, nil
	}
	if server.Listens() {
		if err := verify(x509.Trusted); err != nil {
			return 0, nil, true, err
		}
	}
	status, answer, err := server.Post(p, path, body, timeout)
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
	if i := slices.IndexFunc(c.Operators, operatorIsGuest); i >= 0 && len(c.Nodes) == 0 {
		return fmt.Errorf("operator %q runs in a Pod, and there is no node", c.Operators[i])
	}
	for _, name := range c.StartLater {
		switch {
		case operatorIsGuest(name):
			return fmt.Errorf("operator %q cannot start later: its Pod starts it", name)
		case !slices.Contains(c.Operators, name):
			return fmt.Errorf("operator %q cannot start later: it is not among the operators", name)
		}
	}
	return nil
}

// operatorIsGuest tells whether a Pod starts an operator.
func operatorIsGuest(name string) bool { return isOperator(name) && operatorNamed(name).start == nil }

// operators puts them on the agenda.
func (c *Cluster) operators() {
	for _, name := range c.config.Operators {
		o := operatorNamed(name)
		if o.start == nil {
			c.byName[name] = c.guestPart(name)
			continue
		}
		p := program(name, func() *sim.Component { return o.start(c) })
		if slices.Contains(c.config.StartLater, name) {
			c.byName[name] = p
			continue
		}
		c.boot(p, operatorsAt)
	}
}
