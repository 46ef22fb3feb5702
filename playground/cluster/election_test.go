package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func electing() cluster.Config {
	c := cluster.DefaultConfig()
	c.Nodes = cluster.NumberedNodes(2)
	c.LeaderElect, c.ControllerManagers, c.Schedulers = true, 2, 2
	c.Controllers = []string{"replicaset-controller", "garbage-collector-controller"}
	return c
}

// alive lists the components whose name begins so, of those that run.
func alive(c *cluster.Cluster, prefix string) string {
	var out []string
	for _, cell := range c.Trace().Now().Cells(trace.CellComponent) {
		if strings.HasPrefix(cell.Owner, prefix) {
			out = append(out, cell.Owner)
		}
	}
	return strings.Join(out, " ")
}

// leads tells which instance was the last to say that it acquired the lease.
func leads(c *cluster.Cluster, prefix string) (name string, at time.Duration) {
	for _, e := range c.Trace().Events(1) {
		if e.Op == trace.Log && strings.HasPrefix(e.Component, prefix) && e.Text("message") == "Successfully acquired lease" {
			name, at = e.Component, e.At
		}
	}
	return name, at
}

// now does something to the cluster at once.
func now(t *testing.T, c *cluster.Cluster, in cluster.Input) {
	t.Helper()
	in.At = c.Elapsed()
	schedule(t, c, in)
}

func TestAKilledLeaderIsFollowed(t *testing.T) {
	for _, prefix := range []string{"kube-controller-manager", "kube-scheduler"} {
		t.Run(prefix, func(t *testing.T) {
			c := cluster.New(electing(), 5)
			t.Cleanup(c.Close)
			c.RunUntil(10 * time.Second)
			if got, want := alive(c, "kube-"), "kube-apiserver kube-controller-manager kube-controller-manager-2 kube-scheduler kube-scheduler-2"; got != want {
				t.Fatalf("there are %q, want %q", got, want)
			}
			first, _ := leads(c, prefix)
			if first == "" {
				t.Fatal("nobody leads")
			}
			killed := c.Elapsed()
			now(t, c, stop(first))
			c.RunUntil(killed + time.Second)
			if prefix == "kube-controller-manager" && alive(c, "replicaset-controller")+alive(c, "generic-garbage-collector") != "" {
				t.Error("the controllers outlive their manager")
			}
			c.RunUntil(killed + 30*time.Second)
			second, at := leads(c, prefix)
			if second == first || at-killed < 10*time.Second || at-killed > 25*time.Second {
				t.Fatalf("%s leads at %v, after %s was killed at %v", second, at, first, killed)
			}
			now(t, c, cluster.Input{Kind: cluster.Apply, Manifest: []byte(web)})
			c.RunUntil(c.Elapsed() + 15*time.Second)
			if got := len(c.Trace().Now().Cells(trace.CellContainer)); got != 3 {
				t.Errorf("%d containers, want 3", got)
			}
			// Back, the first one waits.
			now(t, c, start(first))
			c.RunUntil(c.Elapsed() + 30*time.Second)
			if third, _ := leads(c, prefix); third != second {
				t.Errorf("%s leads, which was only started again", third)
			}
		})
	}
}

// Who cannot renew ends before somebody else begins, and is started again.
func TestLeadersWithoutAServer(t *testing.T) {
	c := cluster.New(electing(), 5)
	t.Cleanup(c.Close)
	c.RunUntil(10 * time.Second)
	now(t, c, stop("kube-apiserver"))
	first, _ := leads(c, "kube-controller-manager")
	c.RunUntil(c.Elapsed() + 14*time.Second)
	if strings.Contains(" "+alive(c, "kube-")+" ", " "+first+" ") || alive(c, "replicaset-controller") != "" {
		t.Errorf("%s still leads: there are %s", first, alive(c, "kube-"))
	}
	now(t, c, start("replicaset-controller"))
	c.RunUntil(c.Elapsed() + time.Second)
	if last := c.Outcomes()[len(c.Outcomes())-1]; !strings.Contains(last.Error, "no controller manager leads") {
		t.Errorf("starting a controller without a leader: %+v", last)
	}
	now(t, c, start("kube-apiserver"))
	c.RunUntil(c.Elapsed() + 40*time.Second)
	if got := alive(c, "replicaset-controller"); got == "" {
		t.Error("with the server back, nobody runs the controllers")
	}
	if got := len(strings.Fields(alive(c, "kube-controller-manager"))); got != 2 {
		t.Errorf("%d managers run: nobody started again who had ended", got)
	}
}

// Without election there is no manager, and both schedulers work.
func TestNoElection(t *testing.T) {
	config := electing()
	config.LeaderElect = false
	c := cluster.New(config, 5)
	t.Cleanup(c.Close)
	c.RunUntil(10 * time.Second)
	if got, want := alive(c, "kube-"), "kube-apiserver kube-scheduler kube-scheduler-2"; got != want {
		t.Errorf("there are %q, want %q", got, want)
	}
	if got, want := alive(c, "replicaset-controller")+" "+alive(c, "generic")+alive(c, "node-"), "replicaset-controller generic-garbage-collector"; got != want {
		t.Errorf("controllers: %q, want %q", got, want)
	}
	if n, _ := leads(c, "kube-"); n != "" {
		t.Errorf("%s leads", n)
	}
	if err := (cluster.Config{Controllers: []string{"nonsense"}}).Validate(); err == nil || !strings.Contains(err.Error(), `unknown controller "nonsense"`) {
		t.Errorf("an unknown controller: %v", err)
	}
}

// A scheduler that only stands for election has its caches: they need no list
// when it takes over. The controllers of a manager that does not lead have none.
func TestASchedulerListsBeforeItLeads(t *testing.T) {
	c := cluster.New(electing(), 5)
	t.Cleanup(c.Close)
	c.RunUntil(10 * time.Second)
	elected := map[string]bool{}
	for _, e := range c.Trace().Events(1) {
		switch {
		case e.Op == trace.Log && e.Text("message") == "Successfully acquired lease":
			elected[e.Component] = true
		case e.Op == trace.CacheReplace && strings.HasPrefix(e.Component, "kube-scheduler") && elected[e.Component]:
			t.Errorf("%s listed %s after it was elected", e.Component, e.Text("resource"))
		}
	}
	for _, name := range []string{"kube-scheduler", "kube-scheduler-2"} {
		full := false
		for _, e := range c.Trace().Events(1) {
			full = full || e.Op == trace.CacheReplace && e.Component == name && e.Text("resource") == "nodes"
		}
		if !full {
			t.Errorf("%s has no list of nodes, though one of the two leads", name)
		}
	}
}
