package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/network"
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
// own time, when the answer is there. The result must not be changed.
func (c *Cluster) Send(r *client.Request, answered func(Answer)) {
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
// it neither is called.
func (c *Cluster) Watch(r *client.Request, opened func(error), event func(client.Event), ended func()) (stop func()) {
	var stream client.Stream
	stopped := false
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

// Count is how many objects of a resource are stored.
func (c *Cluster) Count(resource string) int {
	return len(c.store.At(resource, "", c.store.Revision()))
}

// Time is what the cluster's clock shows.
func (c *Cluster) Time() time.Time { return c.kernel.Time() }

// DialPod sends a request of HTTP to a port of a Pod ("namespace/name"), from inside it. done is called once, with the answer
// or with why there is none.
func (c *Cluster) DialPod(pod string, port int, method, path string, done func(status int, body string, err error)) {
	if c.fabric == nil {
		done(0, "", errors.New("this cluster has no network"))
		return
	}
	from, err := c.source(pod)
	if err != nil {
		done(0, "", err)
		return
	}
	over := false
	finish := func(status int, body string, err error) {
		if !over {
			over = true
			done(status, body, err)
		}
	}
	c.kernel.After(patience, func() { finish(0, "", errors.New("timed out")) })
	url := fmt.Sprintf("http://%s:%d%s", cmp.Or(from.IP, from.Node), port, path)
	c.fabric.Dial(from, network.Request{Method: method, URL: url}, func(r network.Response) {
		if r.Failure != "" {
			finish(0, "", errors.New(string(r.Failure)))
			return
		}
		finish(r.Status, r.Body, nil)
	})
}
