//go:build !js || cel

package cluster

import (
	"slices"

	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/kubectl"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/operator/shelloperator"
	"kubewalk/playground/operator/teams"
	"kubewalk/playground/sim"
)

// hookOperators are shell-operator, and the program that does in Go what a hook of it does.
func hookOperators() []operator {
	return []operator{
		{shelloperator.Name, nil, nil},
		{teams.Name, func(c *Cluster) *sim.Component { return teams.Start(c.kernel, c.Transport()) }, nil},
	}
}

// hostHooks runs shell-operator in a container, unless another one does, where the cluster has it.
func (c *Cluster) hostHooks(t client.Transport, in *cri.Inside) cri.Guest {
	if c.guest != nil && c.guest.Component().Running() || !slices.Contains(c.config.Operators, HookOperator) {
		return nil
	}
	namespace, _ := in.Pod()
	c.guest = &guest{Operator: shelloperator.Start(c.kernel, t, container{in}), transport: t, namespace: namespace}
	return c.guest
}

// hookPart is shell-operator's component.
func (c *Cluster) hookPart() *part {
	running := func() bool { return c.guest != nil && c.guest.Component().Running() }
	return &part{name: HookOperator, running: running, stop: func(reason string) { c.guest.Kill(reason) }, start: func() error { return errStartedByPod }}
}

// guest is shell-operator in its container: it implements cri.Guest.
type guest struct {
	*shelloperator.Operator
	transport client.Transport
	namespace string // that of its Pod, which kubectl uses where none is named
}

// Kubectl runs a command line as a process of the program.
func (g *guest) Kubectl(argv []string, stdin []byte, done func(stdout, stderr string, code int32)) {
	g.Component().Go("kubectl "+kubectl.Name(argv), func(p *sim.Proc) {
		r := kubectl.New(g.transport).InNamespace(g.namespace).Run(p, argv, stdin)
		code := int32(0)
		if r.Failed {
			code = 1
		}
		done(r.Stdout, r.Stderr, code)
	})
}

// container is what shell-operator sees of its container: it implements shelloperator.Container.
type container struct{ *cri.Inside }

// Run runs a file with the container's shell.
func (c container) Run(p *sim.Proc, argv []string, env map[string]string, say func(stream, line string)) int32 {
	var variables []cri.Variable
	for name, value := range env { // order: each is its own
		variables = append(variables, cri.Variable{Name: name, Value: value})
	}
	return c.Inside.Run(p, argv, variables, say)
}
