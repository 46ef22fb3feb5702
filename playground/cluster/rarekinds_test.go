package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// ofTheDocumentation are manifests as the Kubernetes documentation has them, with what is asked for then and a part of the answer.
var ofTheDocumentation = []struct{ manifest, command, want string }{
	{`{"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"myclass"},"handler":"myconfiguration"}`, "get runtimeclasses", "myclass   myconfiguration"},
	{`{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","metadata":{"name":"myuser"},"spec":{"request":"eA==",
		"signerName":"kubernetes.io/kube-apiserver-client","expirationSeconds":86400,"usages":["client auth"]}}`, "get csr", "24h|Pending"},
	{`{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"health-for-strangers"},"spec":{"matchingPrecedence":1000,
		"priorityLevelConfiguration":{"name":"exempt"},"rules":[{"nonResourceRules":[{"nonResourceURLs":["/healthz","/livez","/readyz"],"verbs":["*"]}],
		"subjects":[{"kind":"Group","group":{"name":"system:unauthenticated"}}]}]}}`, "get flowschemas", "health-for-strangers|probes|catch-all|global-default"},
	{`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"example-device-class"},"spec":{"selectors":[{"cel":{
		"expression":"device.driver == \"driver.example.com\""}}]}}`, "get deviceclasses", "example-device-class"},
	{`{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"php-apache"},"spec":{"maxReplicas":10,"minReplicas":1,
		"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"php-apache"},"targetCPUUtilizationPercentage":50}}`,
		"get hpa.v1.autoscaling php-apache -o jsonpath={.apiVersion}{.spec.targetCPUUtilizationPercentage}", "autoscaling/v150"},
}

func lastOf(c *cluster.Cluster) cluster.Outcome {
	all := c.Outcomes()
	return all[len(all)-1]
}

// saidOf gives a command and returns what it says.
func saidOf(t *testing.T, c *cluster.Cluster, line string) string {
	t.Helper()
	args, err := cluster.ParseCommand(line)
	if err != nil {
		t.Fatal(err)
	}
	now(t, c, cluster.Input{Kind: cluster.Command, Args: args})
	c.RunUntil(c.Elapsed() + 2*time.Second)
	o := lastOf(c)
	return o.Output + o.Warning + o.Error
}

// TestRareKindsLater: a cluster that was not asked for them serves the rare kinds from the first input on that is about one, and what was
// before is as it was without.
func TestRareKindsLater(t *testing.T) {
	for _, d := range ofTheDocumentation {
		t.Run(strings.Fields(d.command)[1], func(t *testing.T) {
			config := cluster.DefaultConfig()
			config.Nodes = cluster.NumberedNodes(1)
			plain, c := cluster.New(config, 3), cluster.New(config, 3)
			t.Cleanup(plain.Close)
			t.Cleanup(c.Close)
			plain.RunUntil(10 * time.Second)
			c.RunUntil(10 * time.Second)
			if got := saidOf(t, c, "api-resources --api-group=node.k8s.io"); strings.Contains(got, "runtimeclasses") {
				t.Error(got)
			}
			before := plain.Trace().Len()
			now(t, c, cluster.Input{Kind: cluster.Apply, Manifest: []byte(d.manifest)})
			c.RunUntil(c.Elapsed() + 3*time.Second)
			if o := lastOf(c); !strings.Contains(o.Output, " created") {
				t.Fatalf("%s%s", o.Output, o.Error)
			}
			got := saidOf(t, c, d.command)
			for _, want := range strings.Split(d.want, "|") {
				if !strings.Contains(got, want) {
					t.Errorf("%s: want %q in:\n%s", d.command, want, got)
				}
			}
			for i := range before {
				a, b := plain.Trace().Event(trace.ID(i+1)), c.Trace().Event(trace.ID(i+1))
				if a.At != b.At || a.Op != b.Op || a.Component != b.Component || a.Object != b.Object {
					t.Fatalf("event %d: %v and %v", i+1, a, b)
				}
			}
		})
	}
}

// TestRareKindsRequested: a request to the API server is such an input, too.
func TestRareKindsRequested(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(1)
	c := cluster.New(config, 3)
	t.Cleanup(c.Close)
	c.RunUntil(10 * time.Second)
	now(t, c, cluster.Input{Kind: cluster.APIRequest, Method: "POST", URL: "/apis/node.k8s.io/v1/runtimeclasses", ContentType: "application/json",
		Body: `{"metadata":{"name":"a"},"handler":"a"}`})
	c.RunUntil(c.Elapsed() + time.Second)
	if got := saidOf(t, c, "get runtimeclasses"); !strings.Contains(got, "a      a") {
		t.Error(got)
	}
	for _, o := range c.Outcomes() {
		if o.Error != "" {
			t.Error(o.Error)
		}
	}
}

// TestRareKindsLookedFor: a command that only looks has the kinds served, and no more.
func TestRareKindsLookedFor(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(1)
	c := cluster.New(config, 3)
	t.Cleanup(c.Close)
	c.RunUntil(10 * time.Second)
	for _, line := range []string{"get pods", "scale deployment web --replicas=2", "get hpa"} {
		saidOf(t, c, line)
		if got := saidOf(t, c, "get --raw /apis"); strings.Contains(got, "node.k8s.io") {
			t.Errorf("%s: %s", line, got)
		}
	}
	starts := func() (n int) {
		for i := range c.Trace().Len() {
			if c.Trace().Event(trace.ID(i+1)).Op == trace.ComponentStart {
				n++
			}
		}
		return n
	}
	before := starts()
	for _, line := range []string{"get resourceclaims", "get runtimeclass"} {
		if got := saidOf(t, c, line); !strings.Contains(got, "No resources found") {
			t.Errorf("%s: %s", line, got)
		}
	}
	if got := saidOf(t, c, "get prioritylevelconfigurations"); strings.Count(got, "\n") < 8 {
		t.Error(got)
	}
	if n := starts() - before; n != 0 {
		t.Errorf("%d programs started", n)
	}
}

// TestRareKindsWithoutServer: what is named while the API server or etcd is down is served when they are up again.
func TestRareKindsWithoutServer(t *testing.T) {
	for _, down := range []string{"kube-apiserver", "etcd"} {
		config := cluster.DefaultConfig()
		config.Nodes = cluster.NumberedNodes(1)
		c := cluster.New(config, 3)
		t.Cleanup(c.Close)
		c.RunUntil(10 * time.Second)
		now(t, c, cluster.Input{Kind: cluster.Stop, Component: down})
		c.RunUntil(c.Elapsed() + time.Second)
		saidOf(t, c, "get flowschemas")
		now(t, c, cluster.Input{Kind: cluster.Start, Component: down})
		c.RunUntil(c.Elapsed() + 20*time.Second)
		if got := saidOf(t, c, "get flowschemas"); strings.Count(got, "\n") < 10 {
			t.Errorf("%s: %s", down, got)
		}
	}
}

// TestDevicesLater: a cluster that was not asked for devices allocates and prepares those that are written into it, also where a leader is elected.
func TestDevicesLater(t *testing.T) {
	for _, elect := range []bool{false, true} {
		c := newDeviceCluster(t, func(config *cluster.Config) {
			config.Devices, config.CEL, config.LeaderElect, config.Controllers = false, false, elect, nil
		})
		c.run(30 * time.Second)
		c.pod("a", `"resourceClaimTemplateName":"large"`)
		c.run(10 * time.Second)
		pod := c.get("a")
		if claims := c.claims("a-gpu-"); pod.Spec.NodeName != "node-2" || pod.Status.Phase != "Running" || len(claims) != 1 || len(claims[0].Status.ReservedFor) != 1 {
			t.Errorf("elect %v: on %q, %s, %d claims", elect, pod.Spec.NodeName, pod.Status.Phase, len(claims))
		}
	}
}

// TestRareKindsAgain: the same log gives the same trace.
func TestRareKindsAgain(t *testing.T) {
	run := func() []byte {
		config := cluster.DefaultConfig()
		config.Authorization = cluster.RBAC
		c := cluster.New(config, 3)
		t.Cleanup(c.Close)
		for i, d := range ofTheDocumentation {
			at := 5*time.Second + time.Duration(i)*time.Second
			schedule(t, c, cluster.Input{At: at, Kind: cluster.Apply, Manifest: []byte(d.manifest)})
		}
		c.RunUntil(30 * time.Second)
		var out bytes.Buffer
		for i := range c.Trace().Len() {
			e := c.Trace().Event(trace.ID(i + 1))
			text, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&out, string(text))
		}
		return out.Bytes()
	}
	if a, b := run(), run(); !bytes.Equal(a, b) {
		t.Error("the traces differ")
	}
}

// TestAboutRare: every rare kind is known by all its names, and by its group and version, in a program that does not have it, too.
func TestAboutRare(t *testing.T) {
	command := func(args ...string) cluster.Input { return cluster.Input{Kind: cluster.Command, Args: args} }
	for _, k := range api.AllKinds()[len(api.Kinds()):] {
		inputs := []cluster.Input{
			{Kind: cluster.Apply, Manifest: json.RawMessage(`{"kind":"` + k.Kind + `","apiVersion":"` + k.GroupVersion().String() + `"}`)},
			{Kind: cluster.APIRequest, Method: "POST", URL: "/apis/" + k.GroupVersion().String() + "/" + k.Resource},
			command("get", "pods,"+k.Resource+"."+k.Version+"."+k.Group),
		}
		if k.Group != "autoscaling" {
			inputs = append(inputs, command("delete", k.Singular+"/a"), command("get", k.Kind), command("auth", "can-i", "list", k.Resource),
				cluster.Input{Kind: cluster.Delete, Resource: k.Resource, Name: "a"})
			for _, name := range k.ShortNames {
				inputs = append(inputs, command("describe", name))
			}
		}
		for _, in := range inputs {
			if !cluster.Rare(in) {
				t.Errorf("%+v is not rare", in)
			}
		}
	}
	if pod := `{"spec":{"securityContext":{"seccompProfile":{"type":"Localhost","localhostProfile":"audit.json"}}}}`; !cluster.Rare(cluster.Input{Body: pod}) {
		t.Error("a profile of the node's is not rare")
	}
	if !cluster.Rare(command("run", "a", "--image=python:3")) || !cluster.Rare(cluster.Input{Body: `{"image":"python"}`}) {
		t.Error("the image python is not rare")
	}
	if !cluster.Rare(cluster.Input{Manifest: json.RawMessage(`{"image":"registry.k8s.io/e2e-test-images/agnhost:2.56"}`)}) {
		t.Error("the image agnhost is not rare")
	}
	for _, in := range []cluster.Input{
		command("get", "hpa"), command("get", "pods", "csr"), command("create", "role", "x", "--verb=get", "--resource=pods"),
		{Manifest: json.RawMessage(`{"kind":"ClusterRole","rules":[{"apiGroups":["node.k8s.io"],"resources":["runtimeclasses"]}]}`)},
		{Body: `{"kind":"Scale","apiVersion":"autoscaling/v1","spec":{"replicas":3}}`},
		{Manifest: json.RawMessage(`{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2"}`)},
	} {
		if cluster.Rare(in) {
			t.Errorf("%+v is rare", in)
		}
	}
}

// TestPythonJob is a Job of the documentation, content/en/examples/controllers/job-backoff-limit-per-index-example.yaml: those with an even
// index fail.
func TestPythonJob(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(1)
	c := cluster.New(config, 3)
	t.Cleanup(c.Close)
	c.RunUntil(10 * time.Second)
	now(t, c, cluster.Input{Kind: cluster.Apply, Manifest: []byte(`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"failing"},"spec":{
		"completions":10,"parallelism":3,"completionMode":"Indexed","backoffLimitPerIndex":0,"maxFailedIndexes":5,"template":{"spec":{
		"restartPolicy":"Never","containers":[{"name":"example","image":"python","command":["python3","-c",
		"import os, sys\nprint(\"Hello world\")\nif int(os.environ.get(\"JOB_COMPLETION_INDEX\")) % 2 == 0:\n  sys.exit(1)\n"]}]}}}}`)})
	c.RunUntil(c.Elapsed() + 60*time.Second)
	if o := lastOf(c); o.Error != "" {
		t.Fatal(o.Error)
	}
	if got := saidOf(t, c, "get job failing -o jsonpath={.status.completedIndexes}/{.status.failedIndexes}"); got != "1,3,5,7,9/0,2,4,6,8" {
		t.Error(got)
	}
}
