//go:build !js || cel

package apiserver

import (
	"reflect"
	"slices"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/flowcontrolv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/apiserver/authorization"
	"kubewalk/playground/controlplane/apiserver/flowcontrol"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

func init() {
	rareSystemObjects = flowcontrol.Bootstrap
	newFairness = func(s *Server) fairness {
		f := &priorityAndFairness{server: s}
		for i := range f.dispatchers {
			f.dispatchers[i] = flowcontrol.NewDispatcher(s.opts.MaxRequestsInFlight)
		}
		return f
	}
}

// The kinds of priority and fairness, as the store calls them.
var (
	flowSchemas    = api.KindOf(new(flowcontrolv1.FlowSchema)).StorageName()
	priorityLevels = api.KindOf(new(flowcontrolv1.PriorityLevelConfiguration)).StorageName()
)

// priorityAndFairness has requests wait for their turn.
// Upstream: apiserver/pkg/server/filters/priority-and-fairness.go; util/flowcontrol/apf_controller.go.
type priorityAndFairness struct {
	server *Server
	// dispatchers are the one of requests that are a part of the run, and that of requests from outside which only look and must leave no
	// trace in it: those wait for each other alone.
	dispatchers [2]*flowcontrol.Dispatcher
}

// start begins to work by the objects that are there, and keeps those of every cluster as they have to be.
// Upstream: pkg/registry/flowcontrol/rest/storage_flowcontrol.go, bootstrapConfigurationEnsurer.
func (f *priorityAndFairness) start() {
	f.configure()
	f.server.component.Go("priority-and-fairness-config-producer", func(p *sim.Proc) {
		for {
			p.Sleep(time.Minute)
			f.ensure(p)
		}
	})
}

// ensure restores what every cluster has: what is missing, and what somebody has changed without saying that it is to stay.
// Upstream: pkg/registry/flowcontrol/ensurer/strategy.go, EnsureConfigurations.
func (f *priorityAndFairness) ensure(p *sim.Proc) {
	for _, wanted := range flowcontrol.Bootstrap(metav1.NewTime(p.Time()).Rfc3339Copy()) {
		resource := api.KindOf(wanted).StorageName()
		current := f.server.store.Current(store.Key{Resource: resource, Name: wanted.GetName()})
		if current == nil {
			wanted.SetGeneration(1)
			f.server.createSystemObject(p, resource, wanted)
			continue
		}
		if current.GetAnnotations()[flowcontrolv1.AutoUpdateAnnotationKey] != "true" || reflect.DeepEqual(withSpecOf(current, wanted), current) {
			continue
		}
		_, err := f.server.store.GuaranteedUpdate(p, store.Key{Resource: resource, Name: wanted.GetName()}, func(current api.Object) (api.Object, error) {
			next := withSpecOf(current, wanted)
			next.SetGeneration(current.GetGeneration() + 1)
			return next, nil
		})
		if err != nil && err != store.ErrNotFound {
			p.Logger().Error(err, "Failed to ensure", "resource", resource, "name", wanted.GetName())
		}
	}
}

// withSpecOf is an object with the spec of another.
func withSpecOf(current, wanted api.Object) api.Object {
	next := current.DeepCopyObject()
	switch next := next.(type) {
	case *flowcontrolv1.FlowSchema:
		next.Spec = wanted.(*flowcontrolv1.FlowSchema).Spec
	case *flowcontrolv1.PriorityLevelConfiguration:
		next.Spec = wanted.(*flowcontrolv1.PriorityLevelConfiguration).Spec
	}
	return next
}

// changed works by an object that has changed.
func (f *priorityAndFairness) changed(c *sim.Component, e store.Event) {
	if e.Key.Resource != flowSchemas && e.Key.Resource != priorityLevels {
		return
	}
	f.configure()
	var dangling []string
	for _, obj := range f.server.caches[flowSchemas].List("") {
		if s := obj.(*flowcontrolv1.FlowSchema); f.dangling(s) != conditionOf(s) {
			dangling = append(dangling, s.Name)
		}
	}
	if len(dangling) == 0 {
		return
	}
	c.Go("priority-and-fairness-config-consumer", func(p *sim.Proc) {
		for _, name := range dangling {
			if err := f.setDangling(p, name); err != nil && err != store.ErrNotFound {
				p.Logger().Error(err, "Failed to update the status", "flowSchema", name)
			}
		}
	})
}

// configure tells the dispatchers what there is.
func (f *priorityAndFairness) configure() {
	var schemas []*flowcontrolv1.FlowSchema
	for _, obj := range f.server.caches[flowSchemas].List("") {
		schemas = append(schemas, obj.(*flowcontrolv1.FlowSchema))
	}
	var levels []*flowcontrolv1.PriorityLevelConfiguration
	for _, obj := range f.server.caches[priorityLevels].List("") {
		levels = append(levels, obj.(*flowcontrolv1.PriorityLevelConfiguration))
	}
	for _, d := range f.dispatchers {
		d.Configure(schemas, levels)
	}
}

// dangling is the condition that a FlowSchema should have, without a time.
func (f *priorityAndFairness) dangling(s *flowcontrolv1.FlowSchema) flowcontrolv1.FlowSchemaCondition {
	level := store.Key{Resource: priorityLevels, Name: s.Spec.PriorityLevelConfiguration.Name}
	return flowcontrol.Dangling(s, f.server.store.Current(level) != nil)
}

// conditionOf is the one that it has, without its time.
func conditionOf(s *flowcontrolv1.FlowSchema) (out flowcontrolv1.FlowSchemaCondition) {
	for _, c := range s.Status.Conditions {
		if c.Type == flowcontrolv1.FlowSchemaConditionDangling {
			c.LastTransitionTime = metav1.Time{}
			out = c
		}
	}
	return out
}

// setDangling writes the condition of a FlowSchema.
func (f *priorityAndFairness) setDangling(p *sim.Proc, name string) error {
	_, err := f.server.store.GuaranteedUpdate(p, store.Key{Resource: flowSchemas, Name: name}, func(current api.Object) (api.Object, error) {
		next := current.DeepCopyObject().(*flowcontrolv1.FlowSchema)
		condition := f.dangling(next)
		if condition == conditionOf(next) {
			return next, nil // the same is not written
		}
		condition.LastTransitionTime = metav1.NewTime(f.server.kernel.Time()).Rfc3339Copy()
		next.Status.Conditions = []flowcontrolv1.FlowSchemaCondition{condition}
		return next, nil
	})
	return err
}

// enter implements fairness. A watch is done when it has begun, and what goes on for long otherwise has no turn to wait for.
// Upstream: server/filters/priority-and-fairness.go, Handle, tooManyRequests, getRequestWaitContext.
func (f *priorityAndFairness) enter(p *sim.Proc, c *call) (leave func(), err error) {
	if goesOn(c.Request) {
		return func() {}, nil
	}
	a := attributesOf(c.Request)
	r := flowOf(c.user, a)
	wait := readTimeout
	if c.Request.Timeout > 0 {
		wait = min(wait, c.Request.Timeout)
	}
	d := f.dispatchers[0]
	if f.server.kernel.IsAside() {
		d = f.dispatchers[1]
	}
	leave, refused := d.Enter(p, r, wait/4)
	if refused == "" {
		return leave, nil
	}
	c.RetryAfter = tooManyRetryAfter
	p.Logger().V(4).Info("Refused by priority and fairness", "reason", refused, "verb", a.Verb, "resource", a.Resource, "user", c.user.Username)
	return nil, c.genericError(429, metav1.StatusReasonTooManyRequests, tooManyText)
}

// goesOn tells whether a request is one that may go on for long. Upstream: apiserver/pkg/server/filters/longrunning.go.
func goesOn(r *client.Request) bool {
	return slices.Contains([]string{"attach", "exec", "proxy", "log", "portforward"}, r.Subresource)
}

func flowOf(user *authorization.User, a *authorization.Attributes) *flowcontrol.Request {
	return &flowcontrol.Request{User: user, Verb: a.Verb, Group: a.Group, Resource: a.Resource, Subresource: a.Subresource, Namespace: a.Namespace, Path: a.Path}
}

// Classify finds the FlowSchema and the priority level of a request, or of one for a path that is about no resource, if r is nil. ok is false
// where there is none. A nil user is the component itself. It changes nothing.
// Upstream: apiserver/pkg/server/filters/priority-and-fairness.go, PriorityAndFairnessClassification.
func (s *Server) Classify(component string, as *authorization.User, r *client.Request, verb, path string) (schema, level types.UID, ok bool) {
	f, is := s.fairness.(*priorityAndFairness)
	if !is || r != nil && goesOn(r) {
		return "", "", false
	}
	a := &authorization.Attributes{Request: policyrule.Request{Verb: verb, Path: path}}
	if r != nil {
		a = attributesOf(r)
	}
	user, err := s.userFor(component, as, a)
	if err != nil {
		return "", "", false
	}
	found := f.dispatchers[1].Classify(flowOf(user, a))
	l := s.store.Current(store.Key{Resource: priorityLevels, Name: found.Spec.PriorityLevelConfiguration.Name})
	if l == nil {
		return "", "", false
	}
	return found.UID, l.GetUID(), true
}
