package phrase

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/trace"
)

func TestLanguagesHaveTheSameKeys(t *testing.T) {
	want := Keys("en")
	for _, lang := range Languages() {
		if got := Keys(lang); !reflect.DeepEqual(got, want) {
			t.Errorf("%s.json and en.json differ in their keys: %v", lang, difference(got, want))
		}
		for key, template := range Table(lang) {
			a, b := Names(template), Names(Word("en", key))
			sort.Strings(a)
			sort.Strings(b)
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s.json: %q has the names %v, en.json has %v", lang, key, a, b)
			}
			if strings.Count(template, "{") != strings.Count(template, "}") {
				t.Errorf("%s.json: %q has a brace too many: %s", lang, key, template)
			}
		}
	}
}

func difference(a, b []string) (out []string) {
	in := map[string]int{}
	for _, k := range a {
		in[k]++
	}
	for _, k := range b {
		in[k]--
	}
	for k, n := range in {
		if n != 0 {
			out = append(out, k)
		}
	}
	sort.Strings(out)
	return out
}

// carried are the attributes of each op, as trace/op.go says and as the
// components give them. Each line is a variant that has a sentence of its own.
var carried = []struct {
	op   trace.Op
	kv   []any
	want string
}{
	{trace.Input, kv("kind", "apply"), "input.apply"},
	{trace.Input, kv("kind", "create"), "input.create"},
	{trace.Input, kv("kind", "kubectl", "command", "get pods"), "input.kubectl"},
	{trace.Input, kv("kind", "patch", "name", "web"), "input.patch"},
	{trace.Input, kv("kind", "scale", "name", "web", "replicas", 8), "input.scale"},
	{trace.Input, kv("kind", "delete", "name", "web"), "input.delete"},
	{trace.Input, kv("kind", "delete", "name", "web-*", "oldest", "web-x2k9p"), "input.delete.oldest"},
	{trace.Input, kv("kind", "kill-node", "node", "node-1"), "input.kill-node"},
	{trace.Input, kv("kind", "start-node", "node", "node-1"), "input.start-node"},
	{trace.Input, kv("kind", "drop-watch", "component", "kubelet/node-1"), "input.drop-watch"},
	{trace.Input, kv("kind", "stop", "component", "etcd"), "input.stop"},
	{trace.Input, kv("kind", "start", "component", "etcd"), "input.start"},
	{trace.Input, kv("kind", "sing"), "input"},
	{trace.Input, kv("kind", "crash-container", "name", "web-1"), "input.crash-container"},
	{trace.Input, kv("kind", "use-memory", "name", "web-1", "value", "1Gi"), "input.use-memory"},
	{trace.Input, kv("kind", "use-cpu", "name", "web-1", "value", "1"), "input.use-cpu"},
	{trace.Input, kv("kind", "registry-down"), "input.registry-down"},
	{trace.Input, kv("kind", "registry-up"), "input.registry-up"},
	{trace.Input, kv("kind", "lose-image", "name", "nginx"), "input.lose-image"},
	{trace.Input, kv("kind", "restore-image", "name", "nginx"), "input.restore-image"},
	{trace.Input, kv("kind", "fill-memory", "node", "node-1", "value", "8Gi"), "input.fill-memory"},
	{trace.Input, kv("kind", "fill-disk", "node", "node-1", "value", "99Gi"), "input.fill-disk"},
	{trace.Input, kv("kind", "slow-kubelet", "node", "node-1", "value", "2s"), "input.slow-kubelet"},
	{trace.Input, kv("kind", "terminate-instance", "node", "node-1"), "input.terminate-instance"},
	{trace.Input, kv("kind", "fail", "target", "cloud-controller-manager", "value", "quota"), "input.fail.quota"},
	{trace.Input, kv("kind", "fail", "target", "cloud-controller-manager", "value", "route-quota"), "input.fail.route-quota"},
	{trace.Input, kv("kind", "fail", "target", "cloud-controller-manager", "value", "api-errors"), "input.fail.api-errors"},
	{trace.Input, kv("kind", "fail", "target", "sample-controller", "value", "no-requeue"), "input.fail.no-requeue"},
	{trace.Input, kv("kind", "fail", "target", "sample-controller", "value", "swallow-errors"), "input.fail.swallow-errors"},
	{trace.Input, kv("kind", "fail", "target", "sample-controller", "value", "no-owner"), "input.fail.no-owner"},
	{trace.Input, kv("kind", "fail", "target", "sample-controller", "value", "own-kind-only"), "input.fail.own-kind-only"},
	{trace.Input, kv("kind", "fail", "target", "etcd", "value", "no-leader"), "input.fail.no-leader"},
	{trace.Input, kv("kind", "fail", "target", "etcd", "value", "no-space"), "input.fail.no-space"},
	{trace.ImagePulled, kv("image", "nginx", "state", "removed"), "image.pulled.removed"},
	{trace.ContainerExit, kv("container", "web", "code", 137, "reason", "OOMKilled"), "container.exit.OOMKilled"},
	{trace.ContainerExit, kv("container", "web", "code", 128, "reason", "StartError"), "container.exit.StartError"},
	{trace.Log, kv("message", "200 web", "v", 0, "input", "request"), "log.answer"},
	{trace.Input, kv("kind", "load", "name", "web", "value", "1500m"), "input.load"},
	{trace.Input, kv("kind", "reconfigure", "profiles", "[]"), "input.reconfigure"},
	{trace.Input, kv("kind", "request", "from", "outside", "url", "http://web"), "input.request"},
	{trace.Input, kv("kind", "request", "from", "outside", "url", "http://127.0.0.1:8080/"), "input.request.local"},
	{trace.NetRequest, kv("request", 1, "from", "default/client", "method", "GET", "url", "http://web"), "net.request"},
	{trace.NetSend, kv("request", 1, "packet", 2, "from", "node-1", "to", "node-2", "source", "10.244.1.2", "destination", "10.244.2.2:80", "what", "GET /"),
		"net.send"},
	{trace.NetReceive, kv("request", 1, "packet", 2, "from", "node-1", "to", "node-2", "what", "GET /"), "net.receive"},
	{trace.NetSend, kv("request", 1, "packet", 2, "from", "node-1", "to", "node-1", "source", "10.244.1.2", "destination", "10.244.1.3:80", "what", "GET /"),
		"net.send.local"},
	{trace.NetReceive, kv("request", 1, "packet", 2, "from", "node-1", "to", "node-1", "what", "GET /"), "net.receive.local"},
	{trace.NetTranslate, kv("request", 1, "node", "node-1", "before", "10.96.0.9:80", "after", "10.244.2.2:80", "chains", "KUBE-SVC-X KUBE-SEP-Y", "masquerade",
		false), "net.translate"},
	{trace.NetDrop, kv("request", 1, "destination", "10.96.0.9:80", "reason", "REJECT"), "net.drop.reject"},
	{trace.NetDrop, kv("request", 1, "destination", "10.96.0.9:80", "reason", "DROP"), "net.drop.drop"},
	{trace.NetDrop, kv("request", 1, "destination", "10.244.9.9:80", "reason", "nobody has the address"), "net.drop"},
	{trace.NetDrop, kv("request", 1, "destination", "10.244.9.9:80", "reason", "no-route"), "net.drop.no-route"},
	{trace.NetDNS, kv("name", "web.default.svc.cluster.local", "type", "A", "code", "NOERROR", "answer", "10.96.0.9"), "net.dns"},
	{trace.NetDNS, kv("name", "nobody.default.svc.cluster.local", "type", "A", "code", "NXDOMAIN", "answer", ""), "net.dns.none"},
	{trace.Log, kv("message", "Pod deleted", "pod", "default/agent-x", "daemonset", "default/agent"), "log.pod-deleted.none"},
	{trace.Log, kv("message", "Added taint to node", "taints", "", "node", "node-3"), "log.added-taint-to-node.none"},
	{trace.NetClose, kv("request", 1, "node", "node-1", "before", "10.96.0.9:80", "after", "10.244.2.2:80"), "net.close"},
	{trace.NetDone, kv("request", 1, "from", "default/client", "url", "http://web", "code", 200, "server", "10.244.2.2:80"), "net.done"},
	{trace.NetDone, kv("request", 1, "from", "default/client", "url", "http://web", "failure", "timed out"), "net.done.failed"},
	{trace.AdmissionCall, kv("request", 1, "verb", "create", "path", "/x", "user", "kubectl", "phase", "validating admission", "webhook", "a.b.c"), "admission.call"},
	{trace.NetRules, kv("node", "node-1", "rules", 12, "services", 3, "changed", 1), "net.rules"},
	{trace.ComponentStart, nil, "component.start"},
	{trace.ComponentStop, kv("reason", "killed"), "component.stop"},
	{trace.ComponentStop, kv("reason", trace.LostPower), "component.stop.power"},
	{trace.Log, kv("message", "Hello", "v", 2), "log"},
	{trace.Log, kv("message", "Hello", "v", 0, "error", "boom"), "log.error"},
	{trace.Log, kv("message", "Too few replicas", "v", 2, "replicaSet", "default/web", "need", 3, "creating", 2), "log.too-few-replicas"},
	{trace.Log, kv("message", "Updating status", "v", 4, "replicaSet", "default/web", "replicas", 3), "log.updating-status"},
	{trace.Log, kv("message", "Updating status", "v", 4, "deployment", "default/web", "replicas", 3), "log.updating-status.deployment"},
	{trace.Log, kv("message", "Updating status", "v", 4, "job", "default/pay", "active", 1, "succeeded", 2, "failed", 0, "uncountedSucceeded", 1,
		"uncountedFailed", 0), "log.updating-status.job"},
	{trace.Log, kv("message", "Error syncing", "v", 0, "error", "boom", "key", "default/web"), "log.error-syncing"},
	{trace.Log, kv("message", "SyncLoop (PLEG): event for pod", "v", 2, "pod", "default/web-x2k9p", "event", "ContainerStarted", "data", "x"),
		"log.syncloop-pleg-event-for-pod"},
	{trace.Log, kv("message", "Starting GC controller", "v", 0), "log.starting-gc-controller"},
	{trace.Log, kv("message", "Starting stateful set controller", "v", 0), "log.starting-controller"},
	{trace.Log, kv("message", "Starting cronjob controller v2", "v", 0), "log.starting-controller"},
	{trace.Log, kv("message", "Starting to sing", "v", 0), "log"},
	{trace.Log, kv("message", "Too many replicas", "v", 2, "replicaSet", "default/web", "need", 3, "deleting", 2), "log.too-many-replicas"},
	{trace.RequestSend, kv("request", 1, "verb", "get", "path", "/api/v1/pods"), "request.send.get"},
	{trace.RequestSend, kv("request", 1, "verb", "list", "path", "/api/v1/pods"), "request.send.list"},
	{trace.RequestSend, kv("request", 1, "verb", "watch", "path", "/api/v1/pods"), "request.send.watch"},
	{trace.RequestSend, kv("request", 1, "verb", "create", "path", "/api/v1/pods"), "request.send.create"},
	{trace.RequestSend, kv("request", 1, "verb", "create", "path", "/api/v1/pods", "generateName", "web-"), "request.send.create.unnamed"},
	{trace.RequestReceive, kv("request", 1, "verb", "create", "path", "/api/v1/pods", "user", "kubectl", "generateName", "web-"), "request.receive.unnamed"},
	{trace.RequestSend, kv("request", 1, "verb", "update", "path", "/api/v1/pods"), "request.send.update"},
	{trace.RequestSend, kv("request", 1, "verb", "patch", "path", "/api/v1/pods"), "request.send.patch"},
	{trace.RequestSend, kv("request", 1, "verb", "delete", "path", "/api/v1/pods"), "request.send.delete"},
	{trace.RequestSend, kv("request", 1, "verb", "deletecollection", "path", "/api/v1/pods"), "request.send.deletecollection"},
	{trace.RequestSend, kv("request", 1, "verb", "create", "path", "/api/v1/namespaces/default/pods/web-x2k9p/binding"), "request.send.binding"},
	{trace.RequestSend, kv("request", 1, "verb", "patch", "path", "/api/v1/namespaces/default/pods/web-x2k9p/status"), "request.send.status"},
	{trace.RequestReceive, kv("request", 1, "verb", "get", "path", "/x", "user", "kubectl"), "request.receive"},
	{trace.RequestReply, kv("request", 1, "verb", "get", "path", "/x", "code", 200, "reason", ""), "request.reply"},
	{trace.RequestReply, kv("request", 1, "verb", "get", "path", "/x", "code", 404, "reason", "NotFound"), "request.reply.error"},
	{trace.RequestReply, kv("request", 1, "verb", "get", "path", "/x", "code", 409, "reason", "Conflict"), "request.reply.conflict"},
	{trace.RequestDone, kv("request", 1, "verb", "get", "path", "/x", "code", 200, "reason", ""), "request.done"},
	{trace.RequestDone, kv("request", 1, "verb", "get", "path", "/x", "code", 404, "reason", "NotFound"), "request.done.error"},
	{trace.RequestDone, kv("request", 1, "verb", "get", "path", "/x", "code", 409, "reason", "Conflict"), "request.done.conflict"},
	{trace.RequestDone, kv("request", 1, "verb", "get", "path", "/x", "code", 0, "reason", ""), "request.done.lost"},
	{trace.StoreCommit, kv("revision", 1, "type", "ADDED"), "store.commit.ADDED"},
	{trace.StoreCommit, kv("revision", 1, "type", "MODIFIED"), "store.commit.MODIFIED"},
	{trace.StoreCommit, kv("revision", 1, "type", "DELETED"), "store.commit.DELETED"},
	{trace.StoreCompact, kv("revision", 1), "store.compact"},
	{trace.Summary, kv("nodes", 5000, "nodesReady", 4999, "pods", 7, "pending", 1, "starting", 2, "ready", 3, "notReady", 1, "terminating", 0,
		"finished", 0, "created", 1, "bound", 2, "started", 3, "deleted", 4, "commits", 5), "summary"},
	{trace.WatchOpen, kv("watch", 1, "resource", "pods", "client", "c", "revision", "1"), "watch.open"},
	{trace.WatchSend, kv("watch", 1, "client", "c", "type", "ADDED", "revision", 1), "watch.send.ADDED"},
	{trace.WatchSend, kv("watch", 1, "client", "c", "type", "MODIFIED", "revision", 1), "watch.send.MODIFIED"},
	{trace.WatchSend, kv("watch", 1, "client", "c", "type", "DELETED", "revision", 1), "watch.send.DELETED"},
	{trace.WatchSend, kv("watch", 1, "client", "c", "type", "BOOKMARK", "revision", 1), "watch.send.BOOKMARK"},
	{trace.WatchSend, kv("watch", 1, "client", "c", "type", "ERROR", "revision", 1), "watch.send.ERROR"},
	{trace.WatchReceive, kv("watch", 1, "type", "ADDED", "revision", 1), "watch.receive.ADDED"},
	{trace.WatchReceive, kv("watch", 1, "type", "MODIFIED", "revision", 1), "watch.receive.MODIFIED"},
	{trace.WatchReceive, kv("watch", 1, "type", "DELETED", "revision", 1), "watch.receive.DELETED"},
	{trace.WatchReceive, kv("watch", 1, "type", "BOOKMARK", "revision", 1), "watch.receive.BOOKMARK"},
	{trace.WatchReceive, kv("watch", 1, "type", "ERROR", "revision", 1), "watch.receive.ERROR"},
	{trace.WatchClose, kv("watch", 1, "resource", "pods", "client", "c", "reason", "r"), "watch.close"},
	{trace.WatchClose, kv("watch", 1, "resource", "pods", "client", "c", "reason", "client is gone"), "watch.close.gone"},
	{trace.CacheReplace, kv("resource", "pods", "count", 3, "revision", "1"), "cache.replace"},
	{trace.CacheSet, kv("resource", "pods", "type", "ADDED", "revision", "1"), "cache.set.ADDED"},
	{trace.CacheSet, kv("resource", "pods", "type", "MODIFIED", "revision", "1"), "cache.set.MODIFIED"},
	{trace.CacheDelete, kv("resource", "pods", "revision", "1"), "cache.delete"},
	{trace.QueueAdd, kv("queue", "q", "key", "k", "outcome", "queued"), "queue.add.queued"},
	{trace.QueueAdd, kv("queue", "q", "key", "k", "outcome", "merged"), "queue.add.merged"},
	{trace.QueueAdd, kv("queue", "q", "key", "k", "outcome", "dirty"), "queue.add.dirty"},
	{trace.QueueGet, kv("queue", "q", "key", "k"), "queue.get"},
	{trace.QueueDone, kv("queue", "q", "key", "k", "again", false), "queue.done"},
	{trace.QueueDone, kv("queue", "q", "key", "k", "again", true), "queue.done.again"},
	{trace.QueueDelay, kv("queue", "q", "key", "k", "after", "1s"), "queue.delay"},
	{trace.QueueDelay, kv("queue", "q", "key", "k", "after", "1s", "failures", 2), "queue.delay.failures"},
	{trace.QueueDelay, kv("queue", "q", "key", "k", "after", "1s", "failures", 2, "outcome", "merged"), "queue.delay.merged"},
	{trace.SchedulingQueue, kv("from", "activeQ", "to", "backoffQ", "event", "e"), "scheduling.queue"},
	{trace.SchedulingQueue, kv("from", "", "to", "activeQ", "event", "e"), "scheduling.queue.enter"},
	{trace.SchedulingQueue, kv("from", "activeQ", "to", "", "event", "e"), "scheduling.queue.leave"},
	{trace.SchedulingPop, kv("attempts", 1), "scheduling.pop"},
	{trace.NodeFilter, kv("node", "n", "fits", true), "node.filter"},
	{trace.NodeFilter, kv("node", "n", "fits", false, "plugin", "p", "reason", "r"), "node.filter.rejected"},
	{trace.NodeScore, kv("node", "n", "score", 63), "node.score"},
	{trace.PodAssume, kv("node", "n"), "pod.assume"},
	{trace.PodForget, kv("node", "n", "reason", "r"), "pod.forget"},
	{trace.SandboxStart, kv("sandbox", "s", "state", "starting"), "sandbox.start.starting"},
	{trace.SandboxStart, kv("sandbox", "s", "state", "ready"), "sandbox.start.ready"},
	{trace.SandboxStop, kv("sandbox", "s", "state", "stopping"), "sandbox.stop.stopping"},
	{trace.SandboxStop, kv("sandbox", "s", "state", "stopped"), "sandbox.stop.stopped"},
	{trace.SandboxStop, kv("sandbox", "s", "state", "removed"), "sandbox.stop.removed"},
	{trace.SandboxStop, kv("sandbox", "s", "state", "failed"), "sandbox.stop.failed"},
	{trace.ImagePullStart, kv("image", "i"), "image.pull"},
	{trace.ImagePulled, kv("image", "i", "took", "1s"), "image.pulled"},
	{trace.ImagePulled, kv("image", "i", "took", "1s", "error", "e"), "image.pulled.error"},
	{trace.ImagePulled, kv("image", "i", "took", "0s"), "image.pulled.present"},
	{trace.ContainerMade, kv("container", "c"), "container.made"},
	{trace.ContainerStart, kv("container", "c"), "container.start"},
	{trace.ContainerKill, kv("container", "c", "grace", "30s"), "container.kill"},
	{trace.ContainerKill, kv("container", "c", "grace", "30s", "signal", "SIGTERM"), "container.kill.SIGTERM"},
	{trace.ContainerKill, kv("container", "c", "grace", "0s", "signal", "SIGKILL"), "container.kill.SIGKILL"},
	{trace.ContainerExit, kv("container", "c", "code", 0), "container.exit"},
	{trace.ContainerExit, kv("container", "c", "code", 0, "state", "removed"), "container.exit.removed"},
}

func kv(kv ...any) []any { return kv }

// Every op and variant has a sentence in every language, and what the sentence
// asks for the event has.
func TestEveryEventIsSaid(t *testing.T) {
	said := map[trace.Op]bool{}
	for _, c := range carried {
		said[c.op] = true
		e := &trace.Event{Op: c.op, Component: "kube-scheduler", Object: trace.Ref{Resource: "pods", Namespace: "default", Name: "web-x2k9p"},
			Attrs: trace.Attrs(c.kv...)}
		key := Of(e)
		if key != c.want {
			t.Errorf("%s %v is said by %q, not by %q", c.op, c.kv, key, c.want)
		}
		args := Args(e)
		for _, lang := range Languages() {
			if Word(lang, key) == "" {
				t.Errorf("%s.json has no sentence %q", lang, key)
			}
			for _, name := range Names(Word(lang, key)) {
				if _, ok := args[name]; !ok {
					t.Errorf("%s.json: %q asks for {%s}, which %s does not carry: %v", lang, key, name, c.op, c.kv)
				}
			}
		}
	}
	for _, op := range trace.Ops() {
		if !said[op] {
			t.Errorf("no variant of %s is in this test", op)
		}
	}
}

func TestSay(t *testing.T) {
	e := &trace.Event{Op: trace.Input, Component: "user", Object: trace.Ref{Resource: "replicasets", Namespace: "default", Name: "web"},
		Attrs: trace.Attrs("kind", "scale", "replicas", 8)}
	if got := Say("en", Of(e), Args(e)); got != "kubectl scales web to 8 replicas." {
		t.Error(got)
	}
	if got := Say("ja", Of(e), Args(e)); got != "kubectl が web のレプリカ数を 8 にします。" {
		t.Error(got)
	}
	if got := Say("en", "no.such.key", nil); got != "no.such.key" {
		t.Error(got)
	}
	if got := Fill("a {x} b {y} {", map[string]string{"x": "{y}", "y": "2"}); got != "a {y} b 2 {" {
		t.Errorf("%q", got)
	}
	for ref, want := range map[trace.Ref]string{
		{Resource: "pods", Namespace: "default"}:            "pods default/*",
		{Resource: "pods"}:                                  "pods",
		{Resource: "nodes", Name: "node-1"}:                 "nodes node-1",
		{Resource: "pods", Namespace: "default", Name: "a"}: "pods default/a",
		{}: "",
	} {
		if got := Object(ref); got != want {
			t.Errorf("%+v is called %q, not %q", ref, got, want)
		}
	}
	for n, want := range map[string]string{"1": "1 replica is", "2": "2 replicas are", "10": "10 replicas are"} {
		if got := Fill("{n} {n:replica is|replicas are}", map[string]string{"n": n}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := fmt.Sprint(Names("{a} {b} {a:x|y}")); got != "[a b]" {
		t.Error(got)
	}
}

// TestThing: what becomes of a single object is said of its kind, as the page says it (site/widgets/state/phrases.test.ts).
func TestThing(t *testing.T) {
	for _, c := range []struct {
		ref  trace.Ref
		want string
	}{
		{trace.Ref{Resource: "pods", Namespace: "default", Name: "web-1"}, "Pod default/web-1"},
		{trace.Ref{Resource: "nodes", Name: "node-1"}, "Node node-1"},
		{trace.Ref{Resource: "pods", Namespace: "default"}, "pods default/*"},
		{trace.Ref{Resource: "pods"}, "pods"},
		{trace.Ref{Resource: "websites", Namespace: "default", Name: "web"}, "websites default/web"},
	} {
		if got := Thing(c.ref); got != c.want {
			t.Errorf("Thing(%v) = %q, want %q", c.ref, got, c.want)
		}
	}
}

// TestKinds: a resource has the kind that the API server serves it as.
func TestKinds(t *testing.T) {
	for _, kind := range api.AllKinds() {
		if word := Word("en", "kind."+kind.Resource); kind.NewList != nil && word != kind.Kind {
			t.Errorf("%s is a %s, and not a %s", kind.Resource, kind.Kind, word)
		}
	}
}
