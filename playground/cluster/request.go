package cluster

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/apiserver"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/node/network"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Ask is the input that sends a request through the network: URL, From, Method. From is a Pod ("client", "shop/client"; a trailing *
// takes the first that matches and runs), a node, "kube-apiserver", or "outside" ("" too), where names are those that Ingresses publish,
// and localhost is the machine at which commands are typed.
const Ask Kind = "request"

// patience is how long whoever sends a request by an input waits: curl --max-time 10.
const patience = 10 * time.Second

// Outside is a request's From for somebody who is not in the cluster.
const Outside = "outside"

var _ = register(Ask, action{
	validate: func(in Input) error {
		if in.URL == "" {
			return fmt.Errorf("input %q: needs a url", in.Kind)
		}
		if network.ParseURL(in.URL).Host == "" {
			return fmt.Errorf("input %q: url %q names no host", in.Kind, in.URL)
		}
		return nil
	},
	words: func(in Input) string {
		if in.From == "" {
			return string(in.Kind) + " " + in.URL
		}
		return string(in.Kind) + " " + in.URL + " from " + in.From
	},
	attrs: func(in Input) []trace.Attr {
		from := in.From
		if from == "" {
			from = Outside
		}
		return append(trace.Attrs("url", in.URL, "from", from), given("method", in.Method)...)
	},
	do: (*Cluster).request,
})

// request sends a request. Its outcome is the body with who answered, or why nobody did.
func (c *Cluster) request(i int) {
	in := c.results[i].Input
	fail := func(format string, args ...any) {
		c.results[i].Done, c.results[i].Error = true, fmt.Sprintf(format, args...)
		c.tell(in.Kind, "", c.results[i].Error)
		c.answer(i, Answer{Err: errors.New(c.results[i].Error)})
	}
	if port, path, ok := localPort(in); ok {
		c.kubectl.Go("curl", func(p *sim.Proc) {
			method := in.Method
			if method == "" {
				method = "GET"
			}
			status, body, failure := c.terminal.Request(p, port, method, path)
			if failure != "" {
				fail("%s: %s", in.URL, failure)
				return
			}
			c.requested(i, status, body, "")
		})
		return
	}
	if c.fabric == nil {
		fail("this cluster has no network: give it one with cluster: {network: true}")
		return
	}
	from, err := c.source(in.From)
	if err != nil {
		fail("%v", err)
		return
	}
	c.kernel.After(patience, func() {
		if !c.results[i].Done {
			fail("%s: timed out", in.URL)
		}
	})
	c.fabric.Dial(from, network.Request{Method: in.Method, URL: in.URL, Body: in.Body}, func(r network.Response) {
		if c.results[i].Done {
			return
		}
		if r.Failure != "" {
			fail("%s: %s", in.URL, r.Failure)
			return
		}
		c.requested(i, r.Status, r.Body, " ("+c.answered(r.Server)+")")
	})
}

// requested is the answer to a request. by says who gave it.
func (c *Cluster) requested(i, status int, body, by string) {
	o := &c.results[i]
	o.Done, o.Output = true, strings.TrimSpace(strconv.Itoa(status)+" "+body)+by
	c.tell(Ask, o.Output, "")
	c.answer(i, Answer{Code: int32(status), Result: &client.Text{Body: body}})
}

// localPort is the port of the machine at which commands are typed that a request from outside is for: kubectl port-forward and
// kubectl proxy listen there.
func localPort(in Input) (port int, path string, ok bool) {
	if in.From != "" && in.From != Outside {
		return 0, "", false
	}
	rest, ok := strings.CutPrefix(in.URL, "http://")
	host, path, _ := strings.Cut(rest, "/")
	name, number, _ := strings.Cut(host, ":")
	port, err := strconv.Atoi(number)
	return port, "/" + path, ok && err == nil && (name == "localhost" || name == "127.0.0.1")
}

// tell has the trace say what came of an input that no program answers for:
// whoever gave it reads it. It is the user's event; its attribute input is the
// kind.
func (c *Cluster) tell(kind Kind, output, failure string) {
	c.kernel.After(0, func() { // in no component
		attrs := trace.Attrs("message", output+failure, "v", 0, "input", string(kind))
		if failure != "" {
			attrs = append(attrs, trace.Attrs("error", failure)...)
		}
		c.kernel.Emit(trace.Log, trace.Ref{}, attrs)
	})
}

// source finds who a request is from.
func (c *Cluster) source(from string) (network.Source, error) {
	if from == "" || from == Outside {
		return network.Source{}, nil
	}
	if from == APIServer {
		return network.Source{Host: c.server.Component(), IP: apiserver.AdvertiseAddress}, nil
	}
	if n := c.fabric.Node(from); n != nil {
		if !n.Running() {
			return network.Source{}, fmt.Errorf("node %q is down", from)
		}
		return network.Source{Node: from}, nil
	}
	namespace, name, ok := strings.Cut(from, "/")
	if !ok {
		namespace, name = "default", from
	}
	prefix, many := strings.CutSuffix(name, "*")
	for _, obj := range c.store.At("pods", namespace, c.store.Revision()) {
		pod := obj.(*corev1.Pod)
		if pod.Name != name && !(many && strings.HasPrefix(pod.Name, prefix)) || pod.Status.PodIP == "" || pod.DeletionTimestamp != nil {
			continue
		}
		s := network.Source{Node: pod.Spec.NodeName, Namespace: pod.Namespace, Pod: pod.Name, IP: pod.Status.PodIP}
		if pod.Spec.HostNetwork {
			s.IP = ""
		}
		return s, nil
	}
	return network.Source{}, fmt.Errorf("there is no pod %q that runs, and no node of that name", from)
}

// answered names who is at an address.
func (c *Cluster) answered(address string) string {
	ip, _, _ := strings.Cut(address, ":")
	for _, obj := range c.store.At("pods", "", c.store.Revision()) {
		pod := obj.(*corev1.Pod)
		if pod.Status.PodIP == ip && !pod.Spec.HostNetwork && pod.Status.Phase == corev1.PodRunning {
			return pod.Namespace + "/" + pod.Name
		}
	}
	return address
}
