package cluster

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/controller/manager"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// Answer is what the API server answered to a program outside the cluster.
type Answer struct {
	// Code is the HTTP status; 0 if no answer came.
	Code int32
	// Result is nil if Err is not.
	Result   client.Result
	Warnings []string
	// Err is an *apierrors.StatusError if the server answered.
	Err error
}

// Kinds are what the API server serves now. They do not change, so any goroutine may keep them.
func (c *Cluster) Kinds() api.KindSet { return c.server.Kinds() }

// Send sends a request other than a watch for a program outside the cluster. answered is called once, in the cluster's
// own time, when the answer is there. The result must not be changed. A request that only reads changes nothing of what happens
// in the cluster, at no time: whether it was sent makes no difference (see sim.Kernel.SetAside). One that writes is no Input, so
// a run that has it cannot be repeated: see Give.
func (c *Cluster) Send(r *client.Request, answered func(Answer)) {
	if r.Verb == client.Get || r.Verb == client.List {
		defer c.kernel.SetAside(c.kernel.SetAside(true))
	}
	c.send(r, answered)
}

func (c *Cluster) send(r *client.Request, answered func(Answer)) {
	c.kubectl.Go(r.Method()+" "+r.Resource.Resource, func(p *sim.Proc) {
		var a Answer
		r.Warn = func(text string) { a.Warnings = append(a.Warnings, text) }
		r.Answered = func(code int32) { a.Code = code }
		a.Result, a.Err = c.observed(c.server).Do(p, r)
		answered(a)
	})
}

// Watch opens a watch for a program outside the cluster. opened is called once: with an error if there is none. Then event is
// called for each event, and ended when there are no more, in the cluster's own time. stop ends the watch from this side; after
// it neither is called. As with Send, it makes no difference to the cluster.
func (c *Cluster) Watch(r *client.Request, opened func(error), event func(client.Event), ended func()) (stop func()) {
	var stream client.Stream
	stopped := false
	defer c.kernel.SetAside(c.kernel.SetAside(true))
	c.kubectl.Go("WATCH "+r.Resource.Resource, func(p *sim.Proc) {
		var err error
		if stream, err = c.observed(c.server).Watch(p, r); err != nil {
			opened(err)
			return
		}
		opened(nil)
		if stopped {
			stream.Stop()
			return
		}
		for {
			e, ok := stream.Next(p)
			if stopped {
				return
			}
			if !ok {
				ended()
				return
			}
			if r.ManagedFields && e.Object != nil && (e.Type == client.Added || e.Type == client.Modified || e.Type == client.Deleted) {
				e.Object = c.withManagedFields(p, e.Object)
			}
			event(e)
		}
	})
	return func() {
		stopped = true
		if stream != nil {
			c.kubectl.Run(stream.Stop)
		}
	}
}

// RememberOwners has the API server keep who owned which fields at the newest revisions, so that events tell it of their own.
func (c *Cluster) RememberOwners() {
	if c.remembers = true; c.server != nil {
		c.server.RememberOwners()
	}
}

// noting is how long after a commit who wrote is noted, at most.
const noting = 10 * time.Millisecond

// withManagedFields waits until a write that has just happened is noted. It remembers the last object, since many may watch the same.
func (c *Cluster) withManagedFields(p *sim.Proc, obj api.Object) api.Object {
	if c.managed.of == obj {
		return c.managed.copy
	}
	revision, _ := store.ParseRevision(obj.GetResourceVersion()) // the store wrote it
	for !c.server.Noted(obj, revision) {
		events := c.store.History(revision - 1)
		if len(events) == 0 || events[0].Revision != revision || c.kernel.Elapsed()-events[0].At > noting {
			break
		}
		p.Sleep(time.Millisecond)
	}
	copied := c.server.WithManagedFields(obj)
	c.managed.of, c.managed.copy = obj, copied
	return copied
}

// MayRequest tells whether who asks from outside may make a request that is not sent (see Send): a connection, or what another server answers.
func (c *Cluster) MayRequest(r *client.Request) error { return c.server.MayRequest(Kubectl, r) }

// AsksOfConnections tells whether there is a webhook or a policy that may have something against a connection.
func (c *Cluster) AsksOfConnections() bool { return c.server.AsksOfConnections() }

// MayRead tells whether who asks from outside, or whom he acts as, may read a path that is about no resource. A nil user is himself.
func (c *Cluster) MayRead(as *authenticationv1.UserInfo, verb, path string) error {
	return c.server.MayRead(Kubectl, as, verb, path)
}

// Ready tells whether the API server answers and all nodes are ready.
func (c *Cluster) Ready() bool {
	if c.server == nil || !c.server.Running() {
		return false
	}
	want := len(c.config.Nodes)
	if c.config.HollowNodes != nil {
		want += c.config.HollowNodes.Count
	}
	for _, obj := range c.store.At("nodes", "", c.store.Revision()) {
		for _, condition := range obj.(*corev1.Node).Status.Conditions {
			if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
				want--
			}
		}
	}
	return want <= 0
}

// Serving tells whether the API server and its etcd run.
func (c *Cluster) Serving() bool { return c.server.Running() && c.store.Running() }

// answers tells whether a program of the control plane answers at its /healthz. Where controllers are components of their own, the
// controller manager is no program that could stop.
func (c *Cluster) answers(component string) bool {
	if component == manager.Component && c.config.managers() == nil {
		return c.kernel.Elapsed() >= controllersAt
	}
	return c.kernel.Component(component) != nil
}

// Count is how many objects of a resource are stored.
func (c *Cluster) Count(resource string) int {
	return len(c.store.At(resource, "", c.store.Revision()))
}

// Time is what the cluster's clock shows.
func (c *Cluster) Time() time.Time { return c.kernel.Time() }

// Give does something now, at the next microsecond: it is scheduled, and with the inputs before it, the seed and the configuration it
// gives the same run. It returns the input with its time. answered is called once, when it is known what became of it; the Answer
// is that of the API server or of a Pod, for inputs that have one.
func (c *Cluster) Give(in Input, answered func(Outcome, Answer)) (Input, error) {
	in.At = c.Elapsed().Truncate(time.Microsecond) + time.Microsecond
	if err := c.Schedule(in); err != nil {
		return in, err
	}
	i := len(c.results) - 1
	if c.waiting == nil {
		c.waiting = map[int]func(Outcome, Answer){}
	}
	c.waiting[i] = answered
	return c.results[i].Input, nil
}

// Outcome tells what became of the input that was scheduled as the nth, from 0.
func (c *Cluster) Outcome(n int) Outcome { return c.results[n] }

// answer tells who gave an input what became of it.
func (c *Cluster) answer(i int, a Answer) {
	if answered := c.waiting[i]; answered != nil {
		delete(c.waiting, i)
		answered(c.results[i], a)
	}
}
