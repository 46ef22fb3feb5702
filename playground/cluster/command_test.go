package cluster_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// typed types a command line and returns what it printed, standard error behind "! ".
func typed(t *testing.T, c *cluster.Cluster, line, manifest string) string {
	t.Helper()
	args, err := cluster.ParseCommand(line)
	if err != nil {
		t.Fatalf("$ %s: %v", line, err)
	}
	n := len(c.Outcomes())
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Command, Args: args, Manifest: []byte(manifest)})
	for end := c.Elapsed() + 10*time.Minute; !c.Outcomes()[n].Done; {
		at, ok := c.Next()
		if !ok || at > end {
			t.Fatalf("$ %s: it never ends", line)
		}
		c.RunUntil(at)
	}
	o := c.Outcomes()[n]
	out := o.Output
	for _, text := range []string{o.Warning, o.Error} {
		if text != "" {
			out += "\n! " + strings.ReplaceAll(text, "\n", "\n! ")
		}
	}
	return strings.TrimPrefix(out, "\n")
}

// TestTyped is a session at the command line: what is typed, and what comes
// back; a trailing * is any ending.
func TestTyped(t *testing.T) {
	c := up(t)
	for _, test := range []struct{ line, want string }{
		{"create deployment web --image=nginx:1.27 --replicas=2 --port=80", "deployment.apps/web created"},
		{"create deployment web --image=nginx:1.27", `! error: failed to create deployment: deployments.apps "web" already exists`},
		{"create deployment Web --image=x", `! error: failed to create deployment: Deployment.apps "Web" is invalid: *`},
		{"wait --for=condition=Available deployment/web --timeout=60s", "deployment.apps/web condition met"},
		{"wait --for=condition=Nothing deployment/web --timeout=1s", "! error: timed out waiting for the condition on deployments/web"},
		{"wait --for=jsonpath={.status.readyReplicas}=2 deployment/web", "deployment.apps/web condition met"},
		{"wait --for=delete pod/nobody", ""},
		{"wait --for=full deployment/web", `! error: unrecognized condition: "full"`},
		{"get deploy web -o jsonpath='{.spec.replicas} {.status.readyReplicas}'", "2 2"},
		{"get deploy -o custom-columns=N:.metadata.name,I:.spec.template.spec.containers[*].image", "N     I\nweb   nginx:1.27"},
		{"get deploy,svc", "NAME                  READY   UP-TO-DATE   AVAILABLE   AGE\ndeployment.apps/web   2/2     2            2           *"},
		{"get pods -n kube-system", "! No resources found in kube-system namespace."},
		{"get ns default -o name", "namespace/default"},
		{"get cm nosuch --help", "Print objects.\n\nOptions:\n    -A, --all-namespaces=false:\n*"},
		{"get deploy web -o kyaml", "---\n{\n  apiVersion: \"apps/v1\",\n  kind: \"Deployment\",\n  metadata: {\n*"},
		{"get ns -l a=b", "! No resources found"},
		{"get pod,node nobody", "! Error from server (NotFound): pods \"nobody\" not found\n! Error from server (NotFound): nodes \"nobody\" not found"},
		{"get deploy/web -n elsewhere", `! Error from server (NotFound): namespaces "elsewhere" not found`},
		{"get --raw /api/v1/namespaces/default", `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"default"*`},
		{"get --raw '/apis/apps/v1/namespaces/default/deployments?resourceVersion=0&limit=5'",
			`{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{"resourceVersion":"*`},
		{"get --raw '/api/v1/pods?resourceVersion=2&resourceVersionMatch=Exact'",
			`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"2"},"items":[]}`},
		{"get --raw '/api/v1/pods?resourceVersion=1&resourceVersionMatch=Exact'", "*"},
		{"get --raw /apis/apps/v1/things", "! Error from server (NotFound): the server could not find the requested resource"},
		{"get --raw /healthz", "ok"},
		{"get --raw /metrics", `! Error from server (NotFound): the server could not find the requested resource`},
		{"get pods --raw /api/v1/pods", "! error: arguments may not be passed when --raw is specified"},
		{"get --raw /api/v1/pods -o json", "! error: --raw and --output are mutually exclusive"},
		{"get things.example.com", `! error: the server doesn't have a resource type "things"`},
		{"get deploy web --ignore-not-found -o name", "deployment.apps/web"},
		{`run here --image=nginx:1.27 --privileged --overrides='{"spec":{"nodeName":"node-1"}}'`, "pod/here created"},
		{"get pod here -o jsonpath='{.spec.nodeName} {.spec.containers[0].image} {.spec.containers[0].securityContext.privileged}'", "node-1 nginx:1.27 true"},
		{"run there --image=nginx:1.27 --overrides={", "! error: Invalid JSON Patch"},
		{"delete pod here", "pod \"here\" deleted*"},
		{"set image deployment/web nginx=nginx:1.28", "deployment.apps/web image updated"},
		{"set image deployment/web apache=x", `! error: unable to find container named "apache"`},
		{"rollout status deployment/web --timeout=60s", `Waiting for deployment *`},
		{"rollout history deployment/web", "deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n"},
		{"rollout history deployment/web --revision=9", "! error: unable to find the specified revision"},
		{"rollout undo deployment/web --to-revision=9", "! error: unable to find specified revision 9 in history"},
		{"rollout undo deployment/web --to-revision=2", "deployment.apps/web skipped rollback (current template already matches revision 2)"},
		{"rollout undo deployment/web", "deployment.apps/web rolled back"},
		{"rollout pause deployment/web", "deployment.apps/web paused"},
		{"rollout undo deployment/web", "! error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again"},
		{"rollout restart deployment/web", `! error: deployments.apps "web" can't restart paused deployment (run rollout resume first)`},
		{"rollout resume deployment/web", "deployment.apps/web resumed"},
		{"rollout status rs/web", `! Error from server (NotFound): replicasets.apps "web" not found`},
		{"scale deployment web --replicas=3 --current-replicas=7", "! error: Expected replicas to be 7, was 2"},
		{"scale deployment web --replicas=3", "deployment.apps/web scaled"},
		{"rollout status deployment/web --timeout=60s", "*"},
		{"set env deployment/web MODE=fast", "deployment.apps/web env updated"},
		{"set resources deployment/web --requests=cpu=100m", "deployment.apps/web resource requirements updated"},
		{"rollout status deployment/web --timeout=60s", "*"},
		{"exec deployment/web -- printenv MODE", "*"},
		{"label deployment web a=b", "deployment.apps/web labeled"},
		{"label deployment web a=c", "! error: 'a' already has a value (b), and --overwrite is false"},
		{"label deployment web a=c --overwrite", "deployment.apps/web labeled"},
		{"label deployment web a=c", "deployment.apps/web not labeled"},
		{"label deployment web a- z-", "label \"z\" not found.\ndeployment.apps/web unlabeled"},
		{"annotate deployment web why='a reason'", "deployment.apps/web annotated"},
		{"annotate deployment web why=another", "! error: --overwrite is false but found the following declared annotation(s): 'why' already has a value (a reason)"},
		{"patch deployment web -p '{\"spec\":{\"minReadySeconds\":1}}'", "deployment.apps/web patched"},
		{"patch deployment web -p '{\"spec\":{\"minReadySeconds\":1}}'", "deployment.apps/web patched (no change)"},
		{"patch deployment web -p '{'", `! Error from server (BadRequest): invalid JSON document`},
		{"patch deployment web --type=xml -p '{}'", `! error: --type must be one of [json merge strategic], not "xml"`},
		{"expose deployment web --port=80 --target-port=8080", "service/web exposed"},
		{"get service web -o jsonpath={.spec.ports[0].targetPort}", "8080"},
		{"expose deployment web --port=80", `! Error from server (AlreadyExists): services "web" already exists`},
		{"autoscale deployment web --max=5 --cpu=50%", "horizontalpodautoscaler.autoscaling/web autoscaled"},
		{"get hpa web -o jsonpath={.spec.metrics[0].resource.target.averageUtilization}", "50"},
		{"taint node node-1 a=b:NoSchedule", "node/node-1 tainted"},
		{"taint node node-1 a=c:NoSchedule", "! error: node node-1 already has a taint(s) with same effect(s) and --overwrite is false"},
		{"taint node node-1 a=c:NoSchedule --overwrite", "node/node-1 modified"},
		{"taint node node-1 a=b:Never", "! error: invalid taint effect: Never, unsupported taint effect\n! See 'kubectl taint -h' for help and examples"},
		{"taint node node-1 a-", "node/node-1 untainted"},
		{"taint node node-1 a-", `! error: taint "a" not found`},
		{"create pdb web --selector=app=web --min-available=3", "poddisruptionbudget.policy/web created"},
		{"cordon node-1", "node/node-1 cordoned"},
		{"cordon node-1", "node/node-1 already cordoned"},
		{"uncordon node-1", "node/node-1 uncordoned"},
		{"run lone --image=nginx", "pod/lone created"},
		{"wait --for=condition=Ready pod/lone --timeout=30s", "pod/lone condition met"},
		{"delete pod lone --dry-run=client", `pod "lone" deleted from default namespace (dry run)`},
		{"delete pod lone --now --grace-period=5", "! error: --now and --grace-period cannot be specified together"},
		{"delete pod lone --now", `pod "lone" deleted from default namespace`},
		{"get pod lone", `! Error from server (NotFound): pods "lone" not found`},
		{"delete pods -l app=nobody", "No resources found"},
		{"delete pods", "! error: resource(s) were provided, but no name was specified"},
		{"delete pods lone --cascade=up", `! error: invalid cascade value (up). Must be "background", "foreground", or "orphan"`},
		{"create job pi --image=busybox -- sh -c 'exit 0'", "job.batch/pi created"},
		{"wait --for=condition=Complete job/pi --timeout=60s", "job.batch/pi condition met"},
		{"create cronjob tick --image=busybox --schedule='0 0 * * *'", "cronjob.batch/tick created"},
		{"create job now --from=cronjob/tick", "job.batch/now created"},
		{"create quota q --hard=pods=50", "resourcequota/q created"},
		{"create secret generic s --from-literal=a=b --from-literal=a=c", "! error: cannot add key a, another key by that name already exists"},
		{"create configmap c --from-literal=a", "! error: invalid literal source a, expected key=value"},
		{"create configmap c --from-literal=a=b --dry-run=client -o yaml", "apiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\nmetadata:\n  name: c"},
		{"create service externalname e", `! error: required flag(s) "external-name" not set`},
		{"create namespace shop", "namespace/shop created"},
		{"delete namespace shop", `namespace "shop" deleted`},
		{"apply -f nothing.yaml", `! error: the path "nothing.yaml" does not exist`},
		{"create -f -", `! error: no objects passed to create`},
		{"top pods", "! error: Metrics API not available"},
		{"logs nobody", `! error: error from server (NotFound): pods "nobody" not found in namespace "default"`},
		{"describe pod nobody", `! Error from server (NotFound): pods "nobody" not found`},
		{"events --for deployment/nobody", "! No events found in default namespace."},
		{"delete deployment web --cascade=foreground", `deployment.apps "web" deleted from default namespace`},
	} {
		got := typed(t, c, test.line, "")
		begin, any := strings.CutSuffix(test.want, "*")
		if got != test.want && !(any && strings.HasPrefix(got, begin)) {
			t.Errorf("$ %s\ngot  %q\nwant %q", test.line, got, test.want)
		}
	}
}

// TestDiff: what apply would change is shown, and not changed. (httpapi/conformance holds it against the real one.)
func TestDiff(t *testing.T) {
	c := up(t)
	const manifest = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1","b":"2"}}`
	if got := typed(t, c, "diff -f -", manifest); !strings.Contains(got, "\n@@ -0,0 +1,") || !strings.HasSuffix(got, "\n! exit status 1") {
		t.Errorf("of an object that is not there: %s", got)
	}
	typed(t, c, "apply -f -", manifest)
	if got := typed(t, c, "diff -f -", manifest); got != "" {
		t.Errorf("without a change: %s", got)
	}
	got := typed(t, c, "diff -f -", strings.Replace(manifest, `"2"`, `"3"`, 1))
	if !strings.HasPrefix(got, "diff -u -N /tmp/LIVE-") || !strings.Contains(got, "/v1.ConfigMap.default.c\n--- ") ||
		!strings.Contains(got, "\n@@ -1,7 +1,7 @@\n apiVersion: v1\n data:\n   a: \"1\"\n-  b: \"2\"\n+  b: \"3\"\n kind: ConfigMap\n") {
		t.Errorf("with a change: %s", got)
	}
	if got := typed(t, c, "get cm c -o jsonpath={.data.b}", ""); got != "2" {
		t.Errorf("the change was made: %s", got)
	}
}

// TestWatch: get --watch goes on, and prints rows as the server tells of changes, until the next command is typed.
func TestWatch(t *testing.T) {
	c := up(t)
	typed(t, c, "create deployment web --image=nginx", "")
	typed(t, c, "rollout status deployment/web", "")
	for _, test := range []struct{ line, want string }{
		{"get deploy -w", "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    1/1     1            1           #\nweb    1/2     1            1           #\n"},
		{"get deploy web -w --no-headers", "web   1/1   1     1     #\nweb   1/2   1     1     #\n"},
		{"get deploy --watch-only", "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    1/2     1            1           #\n"},
		{"get deploy web --watch-only", "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    1/2     1            1           #\n"},
		{"get deploy -w --output-watch-events", "EVENT      NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nADDED      web    1/1     1            1           #\n" +
			"MODIFIED   web    1/2     1            1           #\n"},
		{"get deploy -w -o name", "deployment.apps/web\ndeployment.apps/web\n"},
		{"get deploy -w -o custom-columns=A:.metadata.name,B:.spec.replicas", "A     B\nweb   1\nweb   2\n"},
		{"get deploy -w -o jsonpath={.spec.replicas},", "1,2,"},
		{"get deploy web -w -o yaml --output-watch-events", "object:\n  apiVersion: apps/v1\n"},
		{"get deploy -w -o json --output-watch-events", `{"type":"ADDED","object":{"apiVersion":"apps/v1","kind":"Deployment",`},
		{"get deploy nosuch -w --ignore-not-found", ""},
	} {
		n := len(c.Outcomes())
		typed(t, c, test.line, "")
		schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Scale, Resource: "deployments", Namespace: "default", Name: "web", Replicas: new(int32(2))})
		c.RunUntil(c.Elapsed() + 20*time.Second)
		got := regexp.MustCompile(`\b\d+[ms]\w*`).ReplaceAllString(c.Outcomes()[n].Output, "#")
		if !strings.HasPrefix(got+"\n", test.want) && !strings.HasPrefix(got, test.want) {
			t.Errorf("$ %s\ngot  %q\nwant %q", test.line, got, test.want)
		}
		typed(t, c, "scale deploy web --replicas=1", "")
		before := c.Outcomes()[n].Output
		c.RunUntil(c.Elapsed() + 20*time.Second)
		if after := c.Outcomes()[n].Output; after != before {
			t.Errorf("$ %s goes on after the next command: %q", test.line, after)
		}
	}
	for line, want := range map[string]string{
		"get pods nosuch -w":               `! Error from server (NotFound): pods "nosuch" not found`,
		"get pods,deploy -w":               "! error: you may only specify a single resource type",
		"get deploy --output-watch-events": "! error: --output-watch-events option can only be used with --watch or --watch-only",
	} {
		if got := typed(t, c, line, ""); got != want {
			t.Errorf("$ %s: %q, want %q", line, got, want)
		}
	}
}

// TestDrain: a budget holds an eviction up, which is tried again until it may be.
func TestDrain(t *testing.T) {
	c := up(t)
	typed(t, c, "create deployment web --image=nginx --replicas=2", "")
	typed(t, c, "rollout status deployment/web", "")
	typed(t, c, "create pdb web --selector=app=web --min-available=2", "")
	c.RunUntil(c.Elapsed() + 5*time.Second)
	node := typed(t, c, "get pods -l app=web -o jsonpath={.items[0].spec.nodeName}", "")
	pod := typed(t, c, "get pods -l app=web -o jsonpath={.items[0].metadata.name}", "")
	got := typed(t, c, "drain "+node+" --timeout=12s", "")
	for _, want := range []string{
		"node/" + node + " cordoned\nevicting pod default/" + pod,
		`! error when evicting pods/"` + pod + `" -n "default" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`,
		`! error: unable to drain node "` + node + `" due to error: error when evicting pods/"` + pod + `" -n "default": global timeout reached: 12s, continuing command...`,
		"! There are pending nodes to be drained:\n!  " + node,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("drain printed\n%s\nwithout\n%s", got, want)
		}
	}
	typed(t, c, "scale deployment web --replicas=3", "")
	if got := typed(t, c, "drain "+node+" --timeout=60s", ""); !strings.Contains(got, "\nnode/"+node+" drained") ||
		!strings.Contains(got, "node/"+node+" already cordoned\n") {
		t.Errorf("then it printed\n%s", got)
	}
}

// TestApply: what is said of manifests, one by one.
func TestApply(t *testing.T) {
	c := up(t)
	const two = `[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}},{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}]`
	for _, test := range []struct{ line, manifest, want string }{
		{"apply -f x.yaml", two, "configmap/a created\nconfigmap/b created"},
		{"apply -f x.yaml", two, "configmap/a unchanged\nconfigmap/b unchanged"},
		{"apply -f x.yaml", strings.Replace(two, `"v"`, `"w"`, 1), "configmap/a configured\nconfigmap/b unchanged"},
		{"apply -f x.yaml --dry-run=server", two, "configmap/a configured (server dry run)\nconfigmap/b unchanged (server dry run)"},
		{"get configmap a -o jsonpath={.data.k}", "", "w"},
		{"get -f x.yaml -o name", two, "configmap/a\nconfigmap/b"},
		{"create -f x.yaml", two,
			"! Error from server (AlreadyExists): error when creating \"x.yaml\": configmaps \"a\" already exists\n! Error from server (AlreadyExists): error when creating \"x.yaml\": configmaps \"b\" already exists"},
		{"replace -f x.yaml", two, "configmap/a replaced\nconfigmap/b replaced"},
		{"delete -f x.yaml", two, "configmap \"a\" deleted from default namespace\nconfigmap \"b\" deleted from default namespace"},
		{"apply -f x.yaml", `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}]}`, "configmap/c created"},
		{"apply -n shop -f x.yaml", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"default"}}`,
			`! error: the namespace from the provided object "default" does not match the namespace "shop". You must pass '--namespace=default' to perform this operation.`},
		{"apply -f x.yaml", `{"kind":"ConfigMap"}`,
			`! error: error validating "x.yaml": error validating data: apiVersion not set; if you choose to ignore these errors, turn validation off with --validate=false`},
		{"apply -f x.yaml", `{"apiVersion":"v1","kind":"ConfigMp","metadata":{"name":"c"}}`,
			"! error: resource mapping not found for name: \"c\" namespace: \"\" from \"x.yaml\": no matches for kind \"ConfigMp\" in version \"v1\"\n! ensure CRDs are installed first"},
		{"apply -f -", `{`, `! error: error parsing STDIN: error converting YAML to JSON: unexpected end of JSON input`},
		{"apply -f x.yaml --force-conflicts", two, "! error: --force-conflicts only works with --server-side"},
		{"apply -f x.yaml --server-side", two, "configmap/a serverside-applied\nconfigmap/b serverside-applied"},
	} {
		if got := typed(t, c, test.line, test.manifest); got != test.want {
			t.Errorf("$ %s\n%s\ngot  %q\nwant %q", test.line, test.manifest, got, test.want)
		}
	}
}

// What an editor showed, and what was saved in it, becomes a patch: what others write meanwhile stays.
func TestEdit(t *testing.T) {
	c := up(t)
	typed(t, c, "create deployment web --image=nginx:1.27 --replicas=2", "")
	original := typed(t, c, "get deployment web -o json", "")
	typed(t, c, "label deployment web tier=front", "")
	edit := func(old, new string) string {
		edited := strings.Replace(original, old, new, 1)
		return typed(t, c, "edit deployment/web", "["+original+","+edited+"]")
	}
	for _, test := range []struct{ old, new, want string }{
		{`"replicas": 2,`, `"replicas": 3,`, "deployment.apps/web edited"},
		{"x", "x", "! Edit cancelled, no changes made."},
		{`"replicas": 2,`, `"replicas": -1,`, "! error: deployments.apps \"web\" was not valid:\n!  * spec.replicas: Invalid value: -1: must be greater than or equal to 0"},
		{`"kind": "Deployment"`, `"kind": "ReplicaSet"`, "! error: At least one of apiVersion, kind and name was changed"},
		{`"replicas": 2,`, `"replicsa": 2,`, "! error: deployments.apps \"web\" was not valid:\n!  * patch: Invalid value: *"},
	} {
		got := edit(test.old, test.new)
		if want, open := strings.CutSuffix(test.want, "*"); got != test.want && !(open && strings.HasPrefix(got, want)) {
			t.Errorf("%s: %s, want %s", test.new, got, test.want)
		}
	}
	if got := typed(t, c, "get deployment web -o jsonpath='{.spec.replicas} {.metadata.labels.tier}'", ""); got != "3 front" {
		t.Errorf("replicas and label: %s, want 3 front", got)
	}
	if got := typed(t, c, "edit deployment/web", ""); !strings.Contains(got, "edit needs an editor") {
		t.Errorf("without an editor: %s", got)
	}
	if got := typed(t, c, "edit deployment/web", "["+strings.ReplaceAll(original, `"web"`, `"other"`)+",{}]"); !strings.Contains(got, `the editor was opened with "other", not with "web"`) {
		t.Errorf("another object: %s", got)
	}
}

// What apply remembers is edited, and nothing else of the object.
func TestEditLastApplied(t *testing.T) {
	c := up(t)
	const applied = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"<v>","l":"w"}}`
	typed(t, c, "apply -f -", applied)
	typed(t, c, "create configmap b --from-literal=k=v", "")
	var original bytes.Buffer
	if err := json.Compact(&original, []byte(typed(t, c, "apply view-last-applied configmap a -o json", ""))); err != nil {
		t.Fatal(err)
	}
	edited := func(old, new string) string {
		return "[" + original.String() + "," + strings.ReplaceAll(original.String(), old, new) + "]"
	}
	const none = "! error: no last-applied-configuration annotation found on resources, " +
		"to create the annotation, use command `kubectl apply set-last-applied --create-annotation`"
	for _, test := range []struct{ line, documents, want string }{
		{"apply edit-last-applied cm/a", edited("x", "x"), "! Edit cancelled, no changes made."},
		{"apply edit-last-applied cm/a", edited(`,"l":"w"`, `,"m":"x"`), "configmap/a edited"},
		{"apply edit-last-applied cm a -o name", edited(`"k":`, `"n":`), "configmap/a"},
		{"get configmap a -o jsonpath={.data}", "", `{"k":"\u003cv\u003e","l":"w"}`},
		{"apply view-last-applied cm a -o json", "", "{\n  \"apiVersion\": \"v1\",\n  \"data\": {\n    \"l\": \"w\",\n    \"n\": \"\\u003cv\\u003e\"\n  },\n" +
			"  \"kind\": \"ConfigMap\",\n  \"metadata\": {\n    \"annotations\": {},\n    \"name\": \"a\",\n    \"namespace\": \"default\"\n  }\n}"},
		{"apply -f -", strings.Replace(applied, `,"l":"w"`, "", 1), "configmap/a configured"},
		{"get configmap a -o jsonpath={.data}", "", `{"k":"\u003cv\u003e"}`}, // l was remembered
		{"apply edit-last-applied cm/a -o yaml", edited(`"l":"w"`, `"m":"x"`), "apiVersion: v1\ndata:\n  k: <v>\n  m: x\nkind: ConfigMap\nmetadata:\n  annotations: {}\n  name: a\n  namespace: default"},
		{"apply edit-last-applied cm/b", "", none},
		{"apply edit-last-applied cm/c", "", `! Error from server (NotFound): configmaps "c" not found`},
		{"apply edit-last-applied cm/a", "", "! error: edit needs an editor, which is beside the command line of a demo. Elsewhere, change fields with patch, set, label, annotate or scale"},
		{"apply edit-last-applied cm/a", edited(`"name":"a"`, `"name":"z"`), `! Error from server (NotFound): configmaps "z" not found`},
		{"apply edit-last-applied cm/a", edited(`"namespace":"default"`, `"namespace":"x"`),
			`! error: the namespace from the provided object "x" does not match the namespace "default". You must pass '--namespace=x' to perform this operation.`},
		{"apply edit-last-applied", "", "! error: You must provide one or more resources by argument or filename.\n! Example *"},
	} {
		got := typed(t, c, test.line, test.documents)
		if want, open := strings.CutSuffix(test.want, "*"); got != test.want && !(open && strings.HasPrefix(got, want)) {
			t.Errorf("$ %s\n%s\ngot  %q\nwant %q", test.line, test.documents, got, test.want)
		}
	}
}

// The object of a kind that only a definition describes is edited by a merge patch.
func TestEditCustom(t *testing.T) {
	c := up(t)
	typed(t, c, "apply -f -", `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"sites.example.com"},"spec":{"group":"example.com",
		"names":{"plural":"sites","kind":"Site"},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,
		"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`)
	c.RunUntil(c.Elapsed() + 5*time.Second)
	typed(t, c, "apply -f -", `{"apiVersion":"example.com/v1","kind":"Site","metadata":{"name":"a"},"spec":{"host":"x","port":1}}`)
	original := typed(t, c, "get site a -o json", "")
	edited := strings.Replace(original, `"host": "x"`, `"host": "y"`, 1)
	if got := typed(t, c, "edit site a", "["+original+","+edited+"]"); got != "site.example.com/a edited" {
		t.Error(got)
	}
	if got := typed(t, c, "get site a -o jsonpath='{.spec.host} {.spec.port}'", ""); got != "y 1" {
		t.Error(got)
	}
}
