package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

const (
	foos = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.samplecontroller.k8s.io",
	"annotations":{"api-approved.kubernetes.io":"unapproved, experimental-only"}},"spec":{"group":"samplecontroller.k8s.io","scope":"Namespaced",
	"names":{"kind":"Foo","plural":"foos"},"versions":[{"name":"v1alpha1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
	"properties":{"spec":{"type":"object","properties":{"deploymentName":{"type":"string"},"replicas":{"type":"integer","minimum":1,"maximum":10}}},
	"status":{"type":"object","properties":{"availableReplicas":{"type":"integer"}}}}}}SUBRESOURCES}]}}`
	exampleFoo = `{"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":"example-foo"},
	"spec":{"deploymentName":"example-foo","replicas":1}}`
)

// sampleWorld is a cluster with the sample controller and its kind, whose definition has a subresource for the status or not.
func sampleWorld(t *testing.T, withStatus bool) *cluster.Cluster {
	t.Helper()
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(1)
	config.Operators = []string{"sample-controller"}
	c := cluster.New(config, 1)
	t.Cleanup(c.Close)
	sub := ""
	if withStatus {
		sub = `,"subresources":{"status":{}}`
	}
	typed(t, c, "apply -f crd", strings.Replace(foos, "SUBRESOURCES", sub, 1))
	c.RunUntil(12 * time.Second)
	return c
}

// step is a line, what it prints, and how much time passes then.
type typedStep struct {
	line, want string
	pass       time.Duration
}

const (
	replicas = "get deploy example-foo --ignore-not-found -o jsonpath={.spec.replicas}"
	reasons  = "get events --field-selector involvedObject.kind=Foo -o jsonpath='{.items[*].reason}'"
)

// TestSampleController is what it does, and what each mistake of its author leads to.
func TestSampleController(t *testing.T) {
	apply := typedStep{"apply -f foo", "foo.samplecontroller.k8s.io/example-foo created", 5 * time.Second}
	grow := typedStep{"scale deployment example-foo --replicas=3", "deployment.apps/example-foo scaled", time.Second}
	for _, test := range []struct {
		name       string
		withStatus bool
		mistake    string
		steps      []typedStep
	}{
		{"as it should be", true, "", []typedStep{
			apply, {replicas, "1", 0},
			{"get foo example-foo -o jsonpath={.status.availableReplicas}", "1", 0},
			grow, {replicas, "1", 0},
			{"patch foo example-foo --type=merge -p '{\"spec\":{\"replicas\":2}}'", "foo.samplecontroller.k8s.io/example-foo patched", time.Second}, {replicas, "2", 0},
			{"delete deployment example-foo", `deployment.apps "example-foo" deleted from default namespace`, 5 * time.Second}, {replicas, "2", 0},
			{"get events --field-selector reason=Synced -o jsonpath='{.items[0].message} {.items[0].source.component}'", "Foo synced successfully sample-controller", 0},
			{"delete foo example-foo", `foo.samplecontroller.k8s.io "example-foo" deleted from default namespace`, 5 * time.Second}, {replicas, "", 0},
		}},
		{"somebody else's", true, "", []typedStep{
			{"create deployment example-foo --image=nginx", "deployment.apps/example-foo created", time.Second},
			apply, {reasons, "ErrResourceExists", 0},
			{"get events --field-selector reason=ErrResourceExists -o jsonpath='{.items[0].type} {.items[0].message}'",
				`Warning Resource "example-foo" already exists and is not managed by Foo`, 0},
		}},
		{"what failed is tried again", true, "", []typedStep{
			{"create deployment example-foo --image=nginx", "deployment.apps/example-foo created", time.Second},
			apply, {"delete deployment example-foo", `deployment.apps "example-foo" deleted from default namespace`, 6 * time.Second}, {replicas, "1", 0},
		}},
		{"errors are swallowed", true, "swallow-errors", []typedStep{
			{"create deployment example-foo --image=nginx", "deployment.apps/example-foo created", time.Second},
			apply, {"delete deployment example-foo", `deployment.apps "example-foo" deleted from default namespace`, 6 * time.Second}, {replicas, "", 0},
			{"get nodes -o name", "node/node-1", 31 * time.Second}, {replicas, "1", 0},
		}},
		{"a key is not put back", true, "no-requeue", []typedStep{
			{"create deployment example-foo --image=nginx", "deployment.apps/example-foo created", time.Second},
			apply, {"delete deployment example-foo", `deployment.apps "example-foo" deleted from default namespace`, 6 * time.Second}, {replicas, "", 0},
			{"get nodes -o name", "node/node-1", 31 * time.Second}, {replicas, "1", 0},
		}},
		{"no owner", true, "no-owner", []typedStep{
			apply, {replicas, "1", 0}, {reasons, "ErrResourceExists", 0},
			{"delete foo example-foo", `foo.samplecontroller.k8s.io "example-foo" deleted from default namespace`, time.Minute}, {replicas, "1", 0},
		}},
		{"its own kind only", true, "own-kind-only", []typedStep{
			apply, grow, {replicas, "3", 0},
			{"get nodes -o name", "node/node-1", 31 * time.Second}, {replicas, "1", 0},
		}},
		{"no status", false, "", []typedStep{
			apply, {replicas, "1", 0}, {"get foo example-foo -o jsonpath={.status}", "", 0}, {reasons, "", 0},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := sampleWorld(t, test.withStatus)
			if test.mistake != "" {
				schedule(t, c, at(c.Elapsed(), fail("sample-controller", test.mistake)))
			}
			for _, step := range test.steps {
				if got := typed(t, c, step.line, exampleFoo); got != step.want {
					t.Errorf("$ %s\ngot  %q\nwant %q", step.line, got, step.want)
				}
				c.RunUntil(c.Elapsed() + step.pass)
			}
		})
	}
}

// TestMistakesAreMended: what a fault has switched on is off when it is healed.
func TestMistakesAreMended(t *testing.T) {
	c := sampleWorld(t, true)
	schedule(t, c, at(c.Elapsed(), fail("sample-controller", "own-kind-only")), at(c.Elapsed()+time.Second, heal("", "sample-controller", "")))
	c.RunUntil(c.Elapsed() + 2*time.Second)
	typed(t, c, "apply -f foo", exampleFoo)
	c.RunUntil(c.Elapsed() + 5*time.Second)
	typed(t, c, "scale deployment example-foo --replicas=3", "")
	c.RunUntil(c.Elapsed() + time.Second)
	if got := typed(t, c, replicas, ""); got != "1" {
		t.Errorf("there are %s replicas", got)
	}
}

// TestAnOperatorThatStartsLater: it is there, and does nothing until it is started.
func TestAnOperatorThatStartsLater(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(1)
	config.Operators, config.StartLater = []string{"sample-controller"}, []string{"sample-controller"}
	c := cluster.New(config, 1)
	t.Cleanup(c.Close)
	started := func() (n int) {
		for _, e := range c.Trace().Events(1) {
			if e.Op == trace.ComponentStart && e.Component == "sample-controller" {
				n++
			}
		}
		return n
	}
	if c.RunUntil(5 * time.Second); started() != 0 {
		t.Error("it started with the cluster")
	}
	in := start("sample-controller")
	in.At = c.Elapsed()
	schedule(t, c, in)
	if c.RunUntil(6 * time.Second); started() != 1 {
		t.Error("it was not started")
	}
	if config.StartLater = []string{"workqueue-example"}; config.Validate() == nil {
		t.Error("one that the cluster does not have may start later")
	}
}

const (
	websites = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"websites.web.example.com"},
	"spec":{"group":"web.example.com","scope":"Namespaced","names":{"kind":"Website","plural":"websites"},
	"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
	"spec":{"type":"object","properties":{"image":{"type":"string"},"host":{"type":"string"},"replicas":{"type":"integer","default":1}}},
	"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}}`
	blog      = `{"apiVersion":"web.example.com/v1","kind":"Website","metadata":{"name":"blog"},"spec":{"image":"nginx:1.27","host":"blog.example.com"}}`
	fewObject = `{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"few"},"spec":{"hard":{"services":"1"}}}`
)

// TestWebsiteOperator is what the reconciler of operator/kubebuilder does, and what each mistake of its author leads to.
func TestWebsiteOperator(t *testing.T) {
	const (
		replicas  = "get deploy blog --ignore-not-found -o jsonpath={.spec.replicas}"
		line      = "get cm websites --ignore-not-found -o jsonpath={.data.blog}"
		service   = "get svc blog --ignore-not-found -o jsonpath={.spec.ports[0].port}"
		condition = "get website blog -o jsonpath='{.status.conditions[0].status} {.status.availableReplicas}'"
	)
	apply := typedStep{"apply -f blog", "website.web.example.com/blog created", 5 * time.Second}
	grow := typedStep{"scale deployment blog --replicas=3", "deployment.apps/blog scaled", time.Second}
	end := typedStep{"delete website blog", `website.web.example.com "blog" deleted from default namespace`, 5 * time.Second}
	limit := typedStep{"apply -f few", "resourcequota/few created", 2 * time.Second}
	free := typedStep{"delete quota few", `resourcequota "few" deleted from default namespace`, 6 * time.Second}
	for _, test := range []struct {
		name, mistake string
		steps         []typedStep
	}{
		{"as it should be", "", []typedStep{
			apply, {replicas, "1", 0}, {service, "80", 0}, {line, "blog.example.com", 0}, {condition, "True 1", 0},
			{"get website blog -o jsonpath={.metadata.finalizers}", `["web.example.com/directory"]`, 0},
			{"get events --field-selector involvedObject.kind=Website -o jsonpath='{.items[*].message}'", "Deployment created Service created", 0},
			grow, {replicas, "1", 0},
			{"delete service blog", `service "blog" deleted from default namespace`, time.Second}, {service, "80", 0},
			end, {replicas, "", 0}, {service, "", 0}, {line, "", 0},
		}},
		{"an error is tried again", "", []typedStep{limit, apply, {service, "", 0}, {line, "", 0}, free, {service, "80", 0}, {line, "blog.example.com", 0}}},
		{"errors are swallowed", "swallow-errors", []typedStep{limit, apply, {replicas, "1", 0}, free, {service, "", 0}, {line, "", 0}}},
		{"no owner", "no-owner", []typedStep{
			apply, {condition, "False ", 0}, grow, {replicas, "3", 0}, end, {replicas, "3", 0}, {service, "80", 0}, {line, "", 0},
		}},
		{"no finalizer", "no-finalizer", []typedStep{
			apply, {"get website blog -o jsonpath={.metadata.finalizers}", "", 0}, end, {replicas, "", 0}, {line, "blog.example.com", 0},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := websiteWorld(t, test.mistake)
			for _, step := range test.steps {
				if got := typed(t, c, step.line, map[bool]string{true: fewObject, false: blog}[step == limit]); got != step.want {
					t.Errorf("$ %s\ngot  %q\nwant %q", step.line, got, step.want)
				}
				c.RunUntil(c.Elapsed() + step.pass)
			}
		})
	}
}

const hooksOfWebsites = `{"apiVersion":"v1","kind":"List","items":[
	{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingWebhookConfiguration","metadata":{"name":"websites"},"webhooks":[
	{"name":"mwebsite-v1.kb.io","clientConfig":{"url":"https://website-operator:9443/mutate-web-example-com-v1-website"},"admissionReviewVersions":["v1"],
	"sideEffects":"None","rules":[{"apiGroups":["web.example.com"],"apiVersions":["v1"],"resources":["websites"],"operations":["CREATE","UPDATE"]}]}]},
	{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"websites"},"webhooks":[
	{"name":"vwebsite-v1.kb.io","clientConfig":{"url":"https://website-operator:9443/validate-web-example-com-v1-website"},"admissionReviewVersions":["v1"],
	"sideEffects":"None","rules":[{"apiGroups":["web.example.com"],"apiVersions":["v1"],"resources":["websites"],"operations":["CREATE","UPDATE","DELETE"]}]}]}]}`

// TestWebsiteWebhooks: the operator answers the API server, which finds nobody while it is stopped.
func TestWebsiteWebhooks(t *testing.T) {
	const deploy = "get deploy bare -o jsonpath={.metadata.name}"
	bare := strings.NewReplacer(`"blog"`, `"bare"`, `,"host":"blog.example.com"`, "", "nginx:1.27", "nginx").Replace(blog)
	c := websiteWorld(t, "")
	typed(t, c, "apply -f hooks", hooksOfWebsites)
	c.RunUntil(c.Elapsed() + time.Second)
	for _, step := range []typedStep{
		{"apply -f bare", "website.web.example.com/bare created\n! Warning: spec.image: without a fixed tag, Pods may run different versions", time.Second},
		{"get website bare -o jsonpath={.spec.host}", "bare.example.com", 0},
		{deploy, "bare", 0},
		{"patch website bare --type=merge -p '{\"spec\":{\"host\":\"x\"}}'", `! Error from server (Forbidden): admission webhook "vwebsite-v1.kb.io" denied the request: spec.host: ` +
			`is "bare.example.com" for good: links lead there`, 0},
		{"patch website bare --type=merge -p '{\"spec\":{\"image\":\"nginx:1.28\"}}'", "website.web.example.com/bare patched", 0},
		{"delete website bare", `website.web.example.com "bare" deleted from default namespace`, 0},
	} {
		if got := typed(t, c, step.line, bare); got != step.want {
			t.Errorf("$ %s\ngot  %q\nwant %q", step.line, got, step.want)
		}
		c.RunUntil(c.Elapsed() + step.pass)
	}
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Stop, Component: "website-operator"})
	c.RunUntil(c.Elapsed() + time.Second)
	const want = `failed calling webhook "mwebsite-v1.kb.io": failed to call webhook: ` +
		`Post "https://website-operator:9443/mutate-web-example-com-v1-website?timeout=10s": dial tcp website-operator:9443: connect: connection refused`
	if got := typed(t, c, "apply -f bare", bare); !strings.Contains(got, want) {
		t.Errorf("without the operator: %q", got)
	}
}

// TestWebsitePredicate: without the predicate, what the operator writes about a Website leads to one more reconciliation each time.
func TestWebsitePredicate(t *testing.T) {
	count := map[string]int{}
	for _, mistake := range []string{"", "no-predicate"} {
		c := websiteWorld(t, mistake)
		typed(t, c, "apply -f blog", blog)
		c.RunUntil(c.Elapsed() + 10*time.Second)
		for _, e := range c.Trace().Events(1) {
			if e.Component == "website-operator" && e.Op == trace.QueueGet {
				count[mistake]++
			}
		}
	}
	if count[""] == 0 || count["no-predicate"] <= count[""] {
		t.Errorf("it reconciles %d times, and %d times without the predicate", count[""], count["no-predicate"])
	}
}

// websiteWorld is a cluster with the operator of Websites, whose author has made a mistake or none, and their kind.
func websiteWorld(t *testing.T, mistake string) *cluster.Cluster {
	t.Helper()
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(1)
	config.Operators = []string{"website-operator"}
	c := cluster.New(config, 1)
	t.Cleanup(c.Close)
	typed(t, c, "apply -f crd", websites)
	c.RunUntil(14 * time.Second) // it looks for the kind every ten seconds
	if mistake != "" {
		schedule(t, c, at(c.Elapsed(), fail("website-operator", mistake)))
	}
	return c
}

// TestSecretDistributor is what it does in a cluster that asks who may do what, and what each mistake of its author leads to.
func TestSecretDistributor(t *testing.T) {
	const (
		role = "create clusterrole secret-distributor --verb=list,watch,create,update,delete --resource=secrets,namespaces,events"
		bind = "create clusterrolebinding secret-distributor --clusterrole=secret-distributor --serviceaccount=default:secret-distributor"
		mark = "secrets.example.com/to=app"
		left = "get secrets -n shop -o jsonpath='{.items[*].data.password}'"
	)
	for _, test := range []struct {
		mistake string
		steps   []typedStep
	}{
		{"", []typedStep{{left, "YQ==", 0},
			{"patch secret db -n shop -p '{\"stringData\":{\"password\":\"b\"}}'", "secret/db patched", time.Second}, {left, "YQ==", 0},
			{"delete namespace shop", `namespace "shop" deleted`, 10 * time.Second}, {"get secrets -A -o name", "secret/db", 0}}},
		{"ignore-copies", []typedStep{{left, "YQ==", 0},
			{"patch secret db -n shop -p '{\"stringData\":{\"password\":\"b\"}}'", "secret/db patched", time.Minute}, {left, "Yg==", 0},
			{"patch secret db -n platform -p '{\"stringData\":{\"password\":\"c\"}}'", "secret/db patched", time.Second}, {left, "Yw==", 0}}},
		{"overwrite", []typedStep{{"create namespace legacy", "namespace/legacy created", time.Second},
			{"create secret generic db -n legacy --from-literal=password=own", "secret/db created", time.Second},
			{"label namespace legacy app=yes", "namespace/legacy labeled", time.Second},
			{"get secret db -n legacy -o jsonpath={.data.password}", "YQ==", 0}}},
	} {
		t.Run("with "+test.mistake, func(t *testing.T) {
			config := cluster.DefaultConfig()
			config.Nodes, config.Authorization, config.Operators = cluster.NumberedNodes(1), cluster.RBAC, []string{"secret-distributor"}
			c := cluster.New(config, 1)
			t.Cleanup(c.Close)
			if test.mistake != "" {
				schedule(t, c, at(time.Second, fail("secret-distributor", test.mistake)))
			}
			c.RunUntil(5 * time.Second)
			for _, step := range append([]typedStep{
				{"create namespace platform", "namespace/platform created", 0}, {"create namespace shop", "namespace/shop created", 0},
				{"label namespace shop app=yes", "namespace/shop labeled", 0},
				{"create secret generic db -n platform --from-literal=password=a", "secret/db created", 0},
				{"annotate secret db -n platform " + mark, "secret/db annotated", 5 * time.Second}, {left, "", 0}, // nobody has allowed it anything
				{role, "clusterrole.rbac.authorization.k8s.io/secret-distributor created", 0},
				{bind, "clusterrolebinding.rbac.authorization.k8s.io/secret-distributor created", 30 * time.Second}}, test.steps...) {
				if got := typed(t, c, step.line, ""); got != step.want {
					t.Errorf("$ %s\ngot  %q\nwant %q", step.line, got, step.want)
				}
				c.RunUntil(c.Elapsed() + step.pass)
			}
		})
	}
}

// TestTeamsOperator: a namespace of a team gets its quota and its label, and what others do to the quota is undone as far as it says something of it.
func TestTeamsOperator(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes, config.Operators = nil, []string{"teams-operator"}
	c := cluster.New(config, 1)
	t.Cleanup(c.Close)
	c.RunUntil(5 * time.Second)
	const hard = "get quota team -n red -o jsonpath='{.spec.hard}'"
	for _, step := range []typedStep{
		{"create namespace red", "namespace/red created", time.Second}, {"get quota -n red -o name", "", 0},
		{"label namespace red kind=team", "namespace/red labeled", 3 * time.Second}, {hard, `{"pods":"5"}`, 0},
		{"get namespace red -o jsonpath={.metadata.labels.ready}", "yes", 0},
		{`patch quota team -n red -p '{"spec":{"hard":{"pods":"9"}}}'`, "resourcequota/team patched", time.Second}, {hard, `{"pods":"5"}`, 0},
		{`patch quota team -n red -p '{"spec":{"hard":{"services":"2"}}}'`, "resourcequota/team patched", time.Second}, {hard, `{"pods":"5","services":"2"}`, 0},
		{"delete quota team -n red", `resourcequota "team" deleted from red namespace`, time.Second}, {hard, `{"pods":"5"}`, 0},
		{"delete namespace red", `namespace "red" deleted`, 10 * time.Second}, {"get quota -A -o name", "", 0},
	} {
		if got := typed(t, c, step.line, ""); got != step.want {
			t.Errorf("$ %s\ngot  %q\nwant %q", step.line, got, step.want)
		}
		c.RunUntil(c.Elapsed() + step.pass)
	}
}
