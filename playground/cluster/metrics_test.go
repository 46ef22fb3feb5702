package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/apiregistrationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// asked runs a command line at once and returns what it has printed, and what it has complained about.
func asked(t *testing.T, c *cluster.Cluster, args ...string) (output, complaint string) {
	t.Helper()
	if err := c.Schedule(cluster.Input{At: c.Elapsed(), Kind: cluster.Command, Args: args}); err != nil {
		t.Fatal(err)
	}
	c.RunUntil(c.Elapsed() + time.Second)
	o := c.Outcomes()[len(c.Outcomes())-1]
	return o.Output, o.Error
}

func metricsAvailable(c *cluster.Cluster) bool {
	service := found[*apiregistrationv1.APIService](c, "apiservices", "v1beta1.metrics.k8s.io")
	for _, cond := range service.Status.Conditions {
		return cond.Status == apiregistrationv1.ConditionTrue
	}
	return false
}

func await(t *testing.T, c *cluster.Cluster, what string, within time.Duration, is func() bool) {
	t.Helper()
	for end := c.Elapsed() + within; !is(); c.RunUntil(c.Elapsed() + 100*time.Millisecond) {
		if c.Elapsed() > end {
			t.Fatalf("%s: not within %v", what, within)
		}
	}
}

// TestMetricsServer follows it from its Deployment to what kubectl top prints, through the death of its Pod and of a node.
func TestMetricsServer(t *testing.T) {
	cfg := cluster.DefaultConfig()
	cfg.Metrics, cfg.Network, cfg.Authorization = true, true, cluster.RBAC
	cfg.Nodes = cluster.NumberedNodes(2)
	c := cluster.New(cfg, 3)
	defer c.Close()
	c.RunUntil(10 * time.Second)
	applied(t, c, webDeployment)
	if _, err := asked(t, c, "top", "nodes"); err != "error: Metrics API not available" {
		t.Errorf("before it is ready: %q", err)
	}
	ready := func() bool { return metricsAvailable(c) }
	await(t, c, "available", time.Minute, ready)
	rounds := map[string]int{}
	for _, e := range c.Trace().Events(1) {
		if e.Op == trace.Log && e.Text("message") == "Scraped node" {
			rounds[e.Text("node")]++
		}
	}
	if rounds["node-1"] < 2 || rounds["node-2"] < 2 {
		t.Errorf("it is ready after %v rounds: it takes two readings", rounds)
	}
	c.RunUntil(c.Elapsed() + 20*time.Second)
	for line, want := range map[string]string{
		"top nodes": "node-2", "top pods": "web-", "top pods -A --containers": "metrics-server", "top pods -l app=web": "web-",
		"get --raw /apis/metrics.k8s.io/v1beta1/nodes":                                           `"kind":"NodeMetrics"`,
		"get --raw /apis/metrics.k8s.io/v1beta1/namespaces/default/pods?labelSelector=app%3Dweb": `"window":"1`,
		"get pods.metrics.k8s.io": "WINDOW", "get apiservice v1beta1.metrics.k8s.io": "kube-system/metrics-server", "api-resources --api-group=metrics.k8s.io": "PodMetrics",
		"auth can-i get nodes --subresource=metrics --as system:serviceaccount:kube-system:metrics-server": "yes",
	} {
		if out, err := asked(t, c, strings.Fields(line)...); !strings.Contains(out, want) {
			t.Errorf("$ kubectl %s\n%s%s\nwant %q", line, out, err, want)
		}
	}
	if out, _ := asked(t, c, "top", "pods", "-l", "app=other"); out != "" {
		t.Errorf("a selector that picks nobody: %q", out)
	}
	if _, err := asked(t, c, "top", "pod", "nosuch"); !strings.Contains(err, `pods "nosuch" not found`) {
		t.Errorf("no such Pod: %q", err)
	}

	// Its Pod goes, and the next one knows nothing.
	if _, err := asked(t, c, "delete", "pod", "-n", "kube-system", "-l", "k8s-app=metrics-server", "--wait=false"); err != "" {
		t.Fatal(err)
	}
	await(t, c, "unavailable", 5*time.Second, func() bool { return !metricsAvailable(c) })
	c.RunUntil(c.Elapsed() + time.Second)
	if _, err := asked(t, c, "top", "nodes"); err != "error: Metrics API not available" {
		t.Errorf("without a Pod: %q", err)
	}
	await(t, c, "available again", time.Minute, ready)

	// A node that does not answer has no figures any more.
	input(t, c, cluster.Input{Kind: cluster.Stop, Component: "kubelet/node-1"})
	c.RunUntil(c.Elapsed() + 20*time.Second)
	if out, err := asked(t, c, "top", "nodes"); !strings.Contains(out, "node-1   <unknown>") || strings.Contains(out, "node-2   <unknown>") {
		t.Errorf("%s%s", out, err)
	}
}

// TestMetricsServerRefused: a kubelet asks the API server who may read its metrics, and remembers the answer for a while.
func TestMetricsServerRefused(t *testing.T) {
	cfg := cluster.DefaultConfig()
	cfg.Metrics, cfg.Network, cfg.Authorization = true, true, cluster.RBAC
	cfg.Nodes = cluster.NumberedNodes(1)
	c := cluster.New(cfg, 3)
	defer c.Close()
	c.RunUntil(2 * time.Second)
	if _, err := asked(t, c, "delete", "clusterrole", "system:metrics-server"); err != "" {
		t.Fatal(err)
	}
	for _, role := range []string{"create clusterrole reader --verb=get,list,watch --resource=pods,nodes",
		"create clusterrolebinding reader --clusterrole=reader --serviceaccount=kube-system:metrics-server"} {
		if _, err := asked(t, c, strings.Fields(role)...); err != "" {
			t.Fatal(err)
		}
	}
	c.RunUntil(40 * time.Second)
	if out, _ := asked(t, c, "logs", "-n", "kube-system", "deployment/metrics-server"); !strings.Contains(out, `request failed, status: \"403 Forbidden\"`) {
		t.Errorf("log: %s", out)
	}
	if out, _ := asked(t, c, "get", "pods", "-n", "kube-system"); !strings.Contains(out, "0/1") {
		t.Errorf("it is ready without figures: %s", out)
	}
	for _, role := range []string{"create clusterrole kubelet --verb=get --resource=nodes/metrics",
		"create clusterrolebinding kubelet --clusterrole=kubelet --serviceaccount=kube-system:metrics-server"} {
		if _, err := asked(t, c, strings.Fields(role)...); err != "" {
			t.Fatal(err)
		}
	}
	await(t, c, "available", 90*time.Second, func() bool { return metricsAvailable(c) })
	asked := 0
	for _, e := range c.Trace().Events(1) {
		if e.Op == trace.RequestReply && e.Object.Resource == "subjectaccessreviews" {
			asked++
		}
	}
	if asked < 2 || asked > 4 {
		t.Errorf("the kubelet has asked %d times", asked)
	}
}

// TestKubeletAnswers: who has no token hears nothing from a kubelet, and what it has is no secret to who may read it.
func TestKubeletAnswers(t *testing.T) {
	cfg := cluster.DefaultConfig()
	cfg.Network, cfg.Nodes = true, cluster.NumberedNodes(1)
	c := cluster.New(cfg, 3)
	defer c.Close()
	c.RunUntil(8 * time.Second)
	applied(t, c, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"shell"},"spec":{"containers":[{"name":"shell","image":"curlimages/curl","command":["sleep","1000"]}]}}`)
	c.RunUntil(c.Elapsed() + 5*time.Second)
	node := found[*corev1.Node](c, "nodes", "node-1").Status.Addresses[0].Address
	out, err := asked(t, c, "exec", "shell", "--", "curl", "-sk", "https://"+node+":10250/stats/summary")
	if !strings.Contains(out+err, "Unauthorized") {
		t.Errorf("without a token: %q %q", out, err)
	}
	kubelet := c.KubeletServer("node-1").(interface {
		Get(authorization, path string, done func(int, string))
	})
	var summary, text string
	kubelet.Get("Bearer system:serviceaccount:default:default", "/stats/summary", func(_ int, body string) { summary = body })
	kubelet.Get("Bearer system:serviceaccount:default:default", "/metrics/resource", func(_ int, body string) { text = body })
	c.RunUntil(c.Elapsed() + time.Second)
	for _, want := range []string{`"nodeName": "node-1"`, `"name": "shell"`, `"usageCoreNanoSeconds": `, `"workingSetBytes": `} {
		if !strings.Contains(summary, want) {
			t.Errorf("no %s in %s", want, summary)
		}
	}
	for _, want := range []string{"# HELP container_cpu_usage_seconds_total [STABLE] Cumulative cpu time", `{container="shell",namespace="default",pod="shell"} `,
		"\nnode_cpu_usage_seconds_total ", "\nresource_scrape_error 0\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}
