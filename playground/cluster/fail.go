package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fail has a component do its work badly: Component, Value.
//
//	kube-apiserver  "503 30%": it answers that many of its requests with 500, 503 or 429; without a share, half of them
//	etcd            "no-leader": too few members are there to agree; "no-space": the database has reached its quota
//	an operator     as any other; and what operatorFaults says
//	cloud-controller-manager  as any other; and "quota": the cloud makes no more load balancers; "route-quota": no more routes; "api-errors":
//	                it answers nothing
//	any other       "" or "crash": it crashes whenever it begins a piece of work, and is started again after ever longer
const Fail Kind = "fail"

// What etcd and clients of the API server can fail by.
const (
	noLeader = "no-leader"
	noSpace  = "no-space"
	crash    = "crash"

	// Mistakes of an author: see Mistakes in samplecontroller, kubebuilder and secretdistributor.
	swallowErrors = "swallow-errors"
	noRequeue     = "no-requeue"
	noOwner       = "no-owner"
	ownKindOnly   = "own-kind-only"
	noFinalizer   = "no-finalizer"
	noPredicate   = "no-predicate"
	ignoreCopies  = "ignore-copies"
	overwrite     = "overwrite"
)

var _ = standingFault(Fail, func(in Input) error {
	if in.Component == "" {
		return fmt.Errorf("input %q: needs a component", in.Kind)
	}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("input %q: value %q is not how %s fails: %s", in.Kind, in.Value, in.Component, fmt.Sprintf(format, args...))
	}
	switch in.Component {
	case APIServer:
		if _, _, err := in.failure(); err != nil {
			return wrong("%v", err)
		}
	case Etcd:
		if in.Value != noLeader && in.Value != noSpace {
			return wrong("%s or %s", noLeader, noSpace)
		}
	default:
		known := append([]string{crash}, OperatorFaults(in.Component)...)
		if in.Value != "" && !slices.Contains(known, in.Value) {
			return wrong("%s", strings.Join(known, ", "))
		}
	}
	return nil
}, func(c *Cluster, in Input) error {
	switch {
	case c.byName[in.Component] == nil:
		return fmt.Errorf("there is no component %q", in.Component)
	case in.Component != APIServer && in.Component != Etcd && !c.config.CanCrashLoop(in.Component):
		return fmt.Errorf("component %q has no work at which it could crash", in.Component)
	case in.Value == routeQuota && !c.config.CloudRoutes:
		return errors.New("this cluster's cloud has no routes: give it some with cluster: {cloudRoutes: true}")
	}
	return nil
}, func(c *Cluster, in Input) func() {
	switch in.Component {
	case APIServer:
		code, percent, _ := in.failure()
		c.server.Fail(code, percent)
		return func() { c.server.Fail(0, 0) }
	case Etcd:
		set := c.store.SetLeaderless
		if in.Value == noSpace {
			set = c.store.SetFull
		}
		set(true)
		return func() { set(false) }
	}
	if on := c.operatorFault(in.Component, in.Value); on != nil {
		*on = true
		return func() { *on = false }
	}
	c.kernel.SetTrap(in.Component, c.crashing(in.Component))
	return func() { c.kernel.SetTrap(in.Component, nil) }
})

// failure reads "503 30%".
func (in Input) failure() (code int32, percent int, err error) {
	text, share, given := strings.Cut(in.Value, " ")
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n != 500 && n != 503 && n != 429 {
		return 0, 0, errors.New(`500, 503 or 429, and how many of its answers, as in "503 30%"`)
	}
	if percent = 50; given {
		percent, err = strconv.Atoi(strings.TrimSuffix(share, "%"))
		if err != nil || percent < 1 || percent > 100 || !strings.HasSuffix(share, "%") {
			return 0, 0, fmt.Errorf("share %q is none from 1%% to 100%%", share)
		}
	}
	return int32(n), percent, nil
}

// CanCrashLoop tells whether a component takes its work from a queue, or syncs Pods: there it can crash.
func (c Config) CanCrashLoop(name string) bool {
	_, isKubelet := nodeOfKubelet(name)
	return isKubelet || slices.Contains(c.controllers(), name) || slices.Contains(c.schedulers(), name) || slices.Contains(c.Operators, name) ||
		slices.Contains(c.clouded(), name)
}

// How long a program that crashes stays down: what the kubelet waits that runs the control plane's static Pods.
// Upstream: pkg/kubelet/kubelet.go, initialContainerBackOff and MaxContainerBackOff.
const (
	firstBackOff = 10 * time.Second
	maxBackOff   = 5 * time.Minute
)

// crashing is what happens to a program when it begins a piece of work: it crashes, and is started again after a while.
func (c *Cluster) crashing(name string) func() {
	wait := firstBackOff
	return func() {
		p := c.byName[name]
		c.kernel.Logger().Error(errors.New("runtime error: invalid memory address or nil pointer dereference"), "Observed a panic")
		p.stop("panic")
		c.kernel.After(wait, func() {
			if node, is := nodeOfKubelet(name); is && !c.byName[runtimeName(node)].running() {
				return // it starts with its machine
			}
			if !p.running() {
				if err := p.start(); err != nil && !startedByKubelet(err) {
					c.kernel.Logger().Info("Not restarted", "component", name, "err", err)
				}
			}
		})
		wait = min(2*wait, maxBackOff)
	}
}

// ending has something done when a component stops that runs now.
func (c *Cluster) ending(name string, do func()) {
	if component := c.kernel.Component(name); component != nil {
		component.OnStop(do)
	}
}
