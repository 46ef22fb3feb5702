package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func fault(kind cluster.Kind, name, value string) cluster.Input {
	return cluster.Input{Kind: kind, Name: name, Value: value}
}

func onNode(kind cluster.Kind, node, value string) cluster.Input {
	return cluster.Input{Kind: kind, Node: node, Value: value}
}

func TestNodeFaultsNeed(t *testing.T) {
	for _, test := range []struct {
		in   cluster.Input
		want string
	}{
		{fault(cluster.CrashContainer, "web-1", ""), ""},
		{fault(cluster.CrashContainer, "web-1", "3"), ""},
		{fault(cluster.CrashContainer, "web-1", "256"),
			`input "crash-container": value "256" is no exit code (0 to 255): strconv.ParseUint: parsing "256": value out of range`},
		{fault(cluster.CrashContainer, "", ""), `input "crash-container": needs a name`},
		{fault(cluster.UseMemory, "web-1", ""), `input "use-memory": needs a value: how much, such as 200Mi`},
		{fault(cluster.UseMemory, "web-1", "-1"), `input "use-memory": value "-1" is no quantity: is negative`},
		{onNode(cluster.FillMemory, "", "1Gi"), `input "fill-memory": needs a node`},
		{onNode(cluster.SlowKubelet, "node-1", ""), `input "slow-kubelet": needs a value: how long, such as 2s`},
		{onNode(cluster.SlowKubelet, "node-1", "2s"), ""},
		{fault(cluster.RegistryDown, "", ""), ""},
		{fault(cluster.LoseImage, "", ""), `input "lose-image": needs a name`},
	} {
		got := ""
		if err := test.in.Validate(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%+v: got %q, want %q", test.in, got, test.want)
		}
	}
	in := cluster.Input{Kind: cluster.UseMemory, Namespace: "default", Name: "web-1", Container: "web", Value: "200Mi"}
	if got := in.String(); got != "use-memory default/web-1 web 200Mi" {
		t.Error(got)
	}
}

// events lists the reasons of the Events of Pods whose name begins so.
func eventReasons(c *cluster.Cluster, prefix string) string {
	var out []string
	for _, e := range c.Trace().Events(1) {
		for _, d := range e.Deltas {
			if event, ok := d.New.(*corev1.Event); ok && d.Old == nil && strings.HasPrefix(event.InvolvedObject.Name, prefix) {
				out = append(out, event.Reason)
			}
		}
	}
	return strings.Join(out, " ")
}

// TestNodeFaults is what becomes of each fault, and what it does to three Pods.
func TestNodeFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		faults []cluster.Input
		want   string // the last one's error
		seen   string // a reason among the Events of web's Pods
	}{
		{"a container crashes", []cluster.Input{fault(cluster.CrashContainer, "web-*", "2")}, "", "Created Started Pulled Created Started"},
		{"no such Pod", []cluster.Input{fault(cluster.CrashContainer, "none", "2")}, "no container of pod default/none runs", ""},
		{"it uses more", []cluster.Input{fault(cluster.UseMemory, "web-*", "1Gi")}, "", ""},
		{"a container works", []cluster.Input{fault(cluster.UseCPU, "web-*", "500m")}, "", ""},
		{"the registry is down", []cluster.Input{fault(cluster.RegistryDown, "", ""),
			{Kind: cluster.Apply, Manifest: []byte(strings.ReplaceAll(web, "nginx:1.27", "nginx:1.28"))}}, "", ""},
		{"it is down twice", []cluster.Input{fault(cluster.RegistryDown, "", ""), fault(cluster.RegistryDown, "", "")}, "the registry is down already", ""},
		{"it is back", []cluster.Input{fault(cluster.RegistryDown, "", ""), fault(cluster.RegistryUp, "", "")}, "", ""},
		{"it was never away", []cluster.Input{fault(cluster.RegistryUp, "", "")}, "the registry runs already", ""},
		{"an image is lost", []cluster.Input{fault(cluster.LoseImage, "nginx:1.28", "")}, "", ""},
		{"an image wasn't lost", []cluster.Input{fault(cluster.RestoreImage, "nginx:1.28", "")}, `image "nginx:1.28" was not lost`, ""},
		{"an image is back", []cluster.Input{fault(cluster.LoseImage, "nginx:1.28", ""), fault(cluster.RestoreImage, "docker.io/library/nginx:1.28", "")}, "", ""},
		{"a node's memory is full", []cluster.Input{onNode(cluster.FillMemory, "node-1", "8Gi"), onNode(cluster.FillMemory, "node-2", "8Gi")}, "", "Evicted"},
		{"a node's disk is full", []cluster.Input{onNode(cluster.FillDisk, "node-1", "99Gi"), onNode(cluster.FillDisk, "node-2", "99Gi")}, "", "Evicted"},
		{"a kubelet is slow", []cluster.Input{onNode(cluster.SlowKubelet, "node-1", "2s")}, "", ""},
		{"an unknown node", []cluster.Input{onNode(cluster.SlowKubelet, "node-9", "2s")}, `there is no node "node-9"`, ""},
		{"a dead node", []cluster.Input{kill("node-1"), onNode(cluster.FillDisk, "node-1", "1Gi")}, `node "node-1" is down`, ""},
		{"a dead kubelet", []cluster.Input{stop("kubelet/node-1"), onNode(cluster.SlowKubelet, "node-1", "1s")}, `component "kubelet/node-1" is down`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := up(t)
			schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Apply, Manifest: []byte(web)})
			c.RunUntil(c.Elapsed() + 15*time.Second)
			for i, in := range test.faults {
				in.At = c.Elapsed() + time.Duration(i+1)*time.Second
				schedule(t, c, in)
			}
			c.RunUntil(c.Elapsed() + time.Minute)
			outcomes := c.Outcomes()
			for i, o := range outcomes {
				want := ""
				if i == len(outcomes)-1 {
					want = test.want
				}
				if !o.Done || o.Error != want {
					t.Errorf("%s: done %v, got %q, want %q", o.Input, o.Done, o.Error, want)
				}
			}
			if got := eventReasons(c, "web-"); !strings.Contains(got, test.seen) {
				t.Errorf("no %q among the Events: %s", test.seen, got)
			}
		})
	}
}

// TestAFaultIsTheCause: that a container ended walks back to the input.
func TestAFaultIsTheCause(t *testing.T) {
	c := up(t)
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Apply, Manifest: []byte(web)},
		cluster.Input{At: c.Elapsed() + 15*time.Second, Kind: cluster.CrashContainer, Name: "web-*", Value: "9"})
	c.RunUntil(c.Elapsed() + 30*time.Second)
	tr, found := c.Trace(), false
	for _, e := range tr.Events(1) {
		if e.Op != trace.ContainerExit || e.Text("code") != "9" {
			continue
		}
		for id := e.ID; id != 0; id = tr.Event(id).Cause {
			found = found || tr.Event(id).Op == trace.Input && tr.Event(id).Text("kind") == string(cluster.CrashContainer)
		}
		if e.Text("state") != "removed" && !found {
			t.Errorf("event %d isn't due to the input", e.ID)
		}
	}
	if !found {
		t.Error("no container ended with 9")
	}
}

// TestLogsAndExec: kubectl reaches a container through the API server and the
// kubelet of its node, and says so when the kubelet is down.
func TestLogsAndExec(t *testing.T) {
	c := up(t)
	at := c.Elapsed()
	command := func(after time.Duration, args ...string) cluster.Input {
		return cluster.Input{At: at + after, Kind: cluster.Command, Args: args}
	}
	schedule(t, c,
		command(0, "run", "box", "--image=busybox", "--restart=Never", "--", "sh", "-c", "echo hello; sleep 3600"),
		command(10*time.Second, "logs", "box"),
		command(11*time.Second, "exec", "box", "--", "hostname"),
		command(12*time.Second, "exec", "box", "--", "sh", "-c", "exit 3"),
	)
	c.RunUntil(at + 20*time.Second)
	for i, want := range []string{"pod/box created", "hello", "box", "command terminated with exit code 3"} {
		o := c.Outcomes()[i]
		if got := strings.TrimSpace(o.Output + o.Error); got != want {
			t.Errorf("%s: %q, want %q", o.Input, got, want)
		}
	}
	schedule(t, c, stopAt(c.Elapsed(), "kubelet/node-1"), stopAt(c.Elapsed(), "kubelet/node-2"))
	in := command(21*time.Second, "logs", "box")
	schedule(t, c, in)
	c.RunUntil(at + 30*time.Second)
	o := c.Outcomes()[len(c.Outcomes())-1]
	if !strings.Contains(o.Error, "containerLogs/default/box/box") || !strings.HasSuffix(o.Error, ":10250: connect: connection refused") {
		t.Errorf("with the kubelet down: %q", o.Error)
	}
}
