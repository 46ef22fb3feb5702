package demofile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/session"
)

const upStep = "- {id: up, at: +5s, scale: {replicaset: web, replicas: 2}}"

// TestSteps is what a step is read as: the input, as it is shown and as it travels.
func TestSteps(t *testing.T) {
	for _, test := range []struct{ step, words, json string }{
		{"kubectl: rollout undo deployment/web", "kubectl rollout undo deployment/web", `"args":["rollout","undo","deployment/web"]`},
		{`kubectl: "kubectl get pods -l 'app in (web, api)'"`, `kubectl get pods -l 'app in (web, api)'`, `"args":["get","pods","-l","app in (web, api)"]`},
		{"kubectl: apply -f web", "kubectl apply -f web", `"args":["apply","-f","web"]`},
		{"kubectl: apply -f web.yaml", "kubectl apply -f web.yaml", `"metadata":{"name":"web"}`},
		{"kubectl: create -f -, manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", "kubectl create -f -",
			`"manifest":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`},
		{`kubectl: create -f -, manifest: "{kind: A}\n---\n{kind: B}"`, "kubectl create -f -", `"manifest":[{"kind":"A"},{"kind":"B"}]`},
		{"crash-container: {pod: web-*, exitCode: 3}", "crash-container default/web-* 3", `"value":"3"`},
		{"crash-container: {pod: web-1, namespace: shop, container: c}", "crash-container shop/web-1 c", `"container":"c"`},
		{"use-memory: {pod: web-*, memory: 200Mi}", "use-memory default/web-* 200Mi", `"value":"200Mi"`},
		{"use-cpu: {pod: web-*, cpu: 500m}", "use-cpu default/web-* 500m", `"value":"500m"`},
		{"registry-down: true", "registry-down", `"kind":"registry-down"`},
		{"registry-up: true", "registry-up", `"kind":"registry-up"`},
		{"lose-image: nginx", "lose-image nginx", `"name":"nginx"`},
		{"type: ls -l /tmp", "type ls -l /tmp", `"value":"ls -l /tmp"`},
		{"restore-image: nginx", "restore-image nginx", `"name":"nginx"`},
		{"fill-memory: {node: node-1, memory: 7Gi}", "fill-memory node-1 7Gi", `"node":"node-1"`},
		{"fill-disk: {node: node-2, disk: 95Gi}", "fill-disk node-2 95Gi", `"value":"95Gi"`},
		{"terminate-instance: node-1", "terminate-instance node-1", `"node":"node-1"`},
		{"slow-kubelet: {node: node-1, by: 2s}", "slow-kubelet node-1 2s", `"value":"2s"`},
		{"partition: node-1", "partition node-1", `"node":"node-1"`},
		{"partition: replicaset-controller", "partition replicaset-controller", `"component":"replicaset-controller"`},
		{"heal: node-1", "heal node-1", `"node":"node-1"`},
		{"slow: {component: kube-scheduler, by: 2s}", "slow kube-scheduler 2s", `"value":"2s"`},
		{`fail: {component: kube-apiserver, with: "503 30%"}`, "fail kube-apiserver 503 30%", `"value":"503 30%"`},
		{"fail: {component: etcd, with: no-leader}", "fail etcd no-leader", `"component":"etcd"`},
		{"fail: replicaset-controller", "fail replicaset-controller", `"component":"replicaset-controller"`},
		{"heal: {component: etcd, of: slow}", "heal etcd slow", `"value":"slow"`},
		{"load: {deployment: web, cpu: 1500m}", "load deployments default/web 1500m", `"resource":"deployments"`},
		{"set-metric: {metric: queue_length, value: 30}", "set-metric queue_length 30", `"metric":"queue_length"`},
		{"set-metric: {service: web, metric: requests, value: 90}", "set-metric services default/web requests 90", `"resource":"services"`},
		{"request: http://web", "request http://web", `"url":"http://web"`},
		{"request: {url: http://web, from: client}", "request http://web from client", `"from":"client"`},
	} {
		t.Run(test.step, func(t *testing.T) {
			file, problems := parse(change(t, upStep, "- {id: up, at: +5s, "+test.step+"}"))
			compareNone(t, problems)
			in := file.Scenario.Steps[1].Input
			if err := in.Validate(); err != nil {
				t.Error(err)
			}
			if got := in.String(); got != test.words {
				t.Errorf("it is shown as %q, want %q", got, test.words)
			}
			text, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), test.json) {
				t.Errorf("it travels as %s, without %s", text, test.json)
			}
		})
	}
}

// TestStepMistakes is like TestMistakes, for the second step of the file.
func TestStepMistakes(t *testing.T) {
	for _, test := range []struct{ name, step, want string }{
		{"an unknown command", "kubectl: rolout undo x", `20:32: unknown command "rolout" for "kubectl" (did you mean "rollout"?)`},
		{"an unknown subcommand", "kubectl: rollout udno x", `20:40: unknown command "udno x" (did you mean "undo"?)`},
		{"an unknown flag", "kubectl: get pods --selektor=a", `20:41: unknown flag: --selektor (did you mean "--selector"?)`},
		{"an unknown flag, in quotes", `kubectl: "get pods --selektor=a"`, `20:42: unknown flag: --selektor (did you mean "--selector"?)`},
		{"an unknown letter", "kubectl: get pods -z", `20:41: unknown shorthand flag: 'z' in -z`},
		{"a flag that is no number", "kubectl: scale rs web --replicas=many",
			`20:45: invalid argument "many" for "--replicas" flag: strconv.ParseInt: parsing "many": invalid syntax`},
		{"a flag without its value", "kubectl: get pods -o", `20:41: flag needs an argument: 'o' in -o`},
		{"no command", `kubectl: ""`, `20:33: the command line is empty: write what stands behind kubectl, such as get pods`},
		{"a quote that stays open", "kubectl: get pods -l 'a", `20:44: the quote ' is never closed`},
		{"what only a shell can do", "kubectl: get pods | wc", `20:41: there is no shell that would understand |: put it in quotes, or leave it out`},
		{"an unknown manifest", "kubectl: apply -f wbe.yaml", `20:41: unknown manifest "wbe.yaml" (did you mean "web"?)`},
		{"a manifest that is missing", "kubectl: apply -f -", `20:32: -f - reads the step's manifest, which is missing: add manifest: {…}`},
		{"a manifest that nobody reads", "kubectl: get pods, manifest: {}",
			`20:42: a step's manifest is read only by -f -: write apply -f -, or remove the manifest`},
		{"a manifest for another step", "stop: kube-scheduler, manifest: {}",
			`20:45: only a step with kubectl has a manifest of its own: name one under manifests`},
		{"a manifest that is no YAML", `kubectl: apply -f -, manifest: "{"`,
			`20:54: the manifest cannot be read: { is not closed (close the {)`},
		{"a command that is a list", "kubectl: [get, pods]", `20:32: kubectl has to be text, and is a list`},

		{"a crash of what is no Pod", "crash-container: {rs: web}", `20:23: crash-container applies to a pod, not replicasets`},
		{"an exit code too high", "crash-container: {pod: web-*, exitCode: 256}", `20:63: exitCode has to be a whole number from 0 to 255, and is 256`},
		{"memory that is no amount", "use-memory: {pod: web-*, memory: much}",
			`20:56: memory "much" is not an amount: write it as in {pod: web-*, memory: 200Mi}`},
		{"no amount", "use-cpu: {pod: web-*}", `20:23: use-cpu needs cpu, as in {pod: web-*, cpu: 500m}`},
		{"a registry that is not down", "registry-down: no", `20:38: registry-down is written as registry-down: true`},
		{"an unknown node", "fill-memory: {node: node-9, memory: 1Gi}", `20:43: unknown node "node-9" (did you mean "node-1"?)`},
		{"no node", "fill-disk: {disk: 1Gi}", `20:23: fill-disk needs a node, as in {node: node-1, disk: 95Gi}`},
		{"an unknown key", "slow-kubelet: {node: node-1, bye: 2s}", `20:52: unknown key "bye" of slow-kubelet (did you mean "by"?)
20:23: slow-kubelet needs by, as in {node: node-1, by: 2s}`},
		{"no time", "slow-kubelet: {node: node-1, by: 2}", `20:56: by "2" is not a duration: write 500ms, 12s or 1m30s`},
		{"who is no client", "partition: etcd", `20:34: unknown component "etcd"`},
		{"a node that is not slow", "slow: {component: node-1, by: 1s}", `20:41: unknown component "node-1"`},
		{"slow by what", "slow: {component: etcd}", `20:23: slow needs by, as in {component: kube-scheduler, by: 2s}
20:23: slow: needs a value: how long, such as 2s`},
		{"how it fails", "fail: {component: etcd, with: panic}", `20:23: fail: value "panic" is not how etcd fails: no-leader or no-space`},
		{"what is healed", "heal: {component: etcd, of: stop}", `20:51: unknown fault "stop" (known: fail, partition, slow)`},
		{"a load without a CPU", "load: {deployment: web}", `20:23: load needs cpu, as in {deployment: web, cpu: 1500m}`},
		{"a load on what does not exist", "load: {deploymnt: web, cpu: 1}",
			`20:30: the server doesn't have a resource type "deploymnt" (did you mean "deployment"?)`},
		{"a metric without a name", "set-metric: {value: 3}", `20:23: set-metric needs a metric, as in {metric: queue_length, value: 30}`},
		{"a request to nobody", "request: {from: client}", `20:23: request needs a url, as in {url: http://web, from: client}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, problems := parse(change(t, upStep, "- {id: up, at: +5s, "+test.step+"}"))
			var first []string
			for _, p := range problems {
				first = append(first, strings.TrimPrefix(p.Error(), p.File+":"))
			}
			got := strings.Join(first, "\n")
			for _, line := range strings.Split(test.want, "\n") {
				if !strings.Contains(got+"\n", line) {
					t.Errorf("got\n%s\nwant\n%s", got, test.want)
				}
			}
		})
	}
}

// TestCommandsInADemo runs one: what commands print is claimed, and told when
// it is something else.
func TestCommandsInADemo(t *testing.T) {
	src := strings.Replace(good, upStep, `- {id: up, at: +5s, kubectl: scale rs web --replicas=2, prints: scaled}
  - {id: look, at: +8s, kubectl: get rs web, prints: [web, DESIRED]}
  - {id: bad, at: +1s, kubectl: get rs wbe, fails: NotFound}`, 1)
	src = strings.Replace(src, "claims:\n", `claims:
  - {after: look, within: 500ms, output: ["NAME   DESIRED   CURRENT   READY   AGE"]}
  - {after: up, within: 5s, event: {reason: SuccessfulCreate, object: rs/web, message: "Created pod: web-*"}, count: 2}
  - {after: up, within: 8s, always: true, objects: {resource: replicasets, name: web, fields: {status.replicas: ">= 1"}}, count: 1}
  - {after: up, within: 8s, before: [{op: log, attrs: {message: Too few replicas}}, {op: container.start}]}
`, 1)
	file, problems := parse(src)
	compareNone(t, problems)
	run := func() []string {
		result, err := session.Record(file.Scenario)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, p := range file.Locate(result.Failures) {
			out = append(out, strings.TrimPrefix(p.Error(), p.File+":"))
		}
		return out
	}
	if got := run(); len(got) > 0 {
		t.Fatal(strings.Join(got, "\n"))
	}
	steps, claims := file.Scenario.Steps, file.Scenario.Claims
	steps[1].Prints = []string{"unchanged"}
	claims[0].Output = []string{"UP-TO-DATE"}
	claims[1].Event.Reason = "Killing"
	claims[2].Objects.Fields = map[string]string{"status.replicas": ">= 2"}
	want := []string{
		`20:67: kubectl scale rs web --replicas=2 should have printed "unchanged", but it printed "replicaset.apps/web scaled"`,
		`24:34: kubectl get rs web should have printed "UP-TO-DATE", but it printed "NAME   DESIRED   CURRENT   READY   AGE\nweb    2         2         2       13s"`,
		`25:5: the number of events with involvedObject.kind=ReplicaSet involvedObject.name=web message=Created pod: web-* reason=Killing should have been 2 within 5s of step "up", but it was 0 at 11s: default/web.`,
		`26:5: the number of replicasets with name web and status.replicas >= 2 should always have been 1, for 8s from step "up" on, but it was 0 at 6s: default/web has status.replicas="1"`,
	}
	got := run()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !strings.HasPrefix(got[i], want[i]) {
			t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestEveryKindIsOffered: whatever can befall a cluster can stand in a demo.
func TestEveryKindIsOffered(t *testing.T) {
	for _, kind := range cluster.Kinds() {
		if kind == cluster.Patch {
			continue // kubectl: patch …
		}
		_, problems := parse(change(t, upStep, "- {id: up, at: +5s, "+string(kind)+": {}}"))
		for _, p := range problems {
			if strings.Contains(p.Message, "unknown key") {
				t.Errorf("%s: %v", kind, p)
			}
		}
	}
}

// TestClaimMistakes is like TestMistakes, for another claim at the front.
func TestClaimMistakes(t *testing.T) {
	for _, test := range []struct{ claim, want string }{
		{"{after: up, within: 1s, event: {}}", `22:29: event says nothing about it: write {reason: Scheduled, object: pod/web-*}`},
		{"{after: up, within: 1s, event: {type: Waring}}", `22:43: unknown type of Event "Waring" (did you mean "Warning"?)`},
		{"{after: up, within: 1s, event: {object: web}}", `22:45: object "web" is not a kind and name: write pod/web-*`},
		{"{after: up, within: 1s, event: {reson: X}}", `22:37: unknown key "reson" of event (did you mean "reason"?)`},
		{"{after: up, within: 1s, before: [{op: log}]}", `22:29: before names at least two events, the earlier one first (add the later one)`},
		{"{after: up, within: 1s, before: [{op: log}, {op: lgo}]}", `22:54: unknown kind of event "lgo" (did you mean "log"?)`},
		{"{after: up, within: 1s, output: x, count: 3}", `22:47: a claim on an output has no count (remove count:)`},
		{"{after: up, within: 1s, output: {a: b}}", `22:37: output has to be a list, and is keys and values (write it as [configured])`},
		{"{after: up, within: 1s, always: true, output: x}", `22:37: only a claim on objects can always be true (remove always:)`},
		{"{after: up, within: 1s, always: true, stays: true, count: 1, objects: {resource: pods}}",
			`22:50: what is always true needs no stays: within says for how long (remove stays:)`},
		{"{after: up, within: 1s, objects: {resource: pods, nam: x}, count: 1}", `22:55: unknown key "nam" of objects (did you mean "name"?)`},
	} {
		_, problems := parse(change(t, "claims:\n", "claims:\n  - "+test.claim+"\n"))
		if len(problems) == 0 || strings.TrimPrefix(problems[0].Error(), problems[0].File+":") != test.want {
			t.Errorf("%s\ngot  %v\nwant %s", test.claim, problems, test.want)
		}
	}
}

// TestWhatElseRuns is about components that a cluster has on demand.
func TestWhatElseRuns(t *testing.T) {
	file, problems := parse(change(t, "  nodes: 2", "  nodes: 2\n  network: true\n  ingress: true\n  metrics: true"))
	compareNone(t, problems)
	if c := file.Scenario.Cluster; !c.Network || !c.Ingress || !c.Metrics {
		t.Errorf("read as %+v", c)
	}
	_, problems = parse(change(t, "  nodes: 2", "  nodes: 2\n  ingress: true"))
	compare(t, problems, "5:12: ingress needs network: true")
}

// TestTextManifest: what is wrong in a manifest of several lines is told in its line, in our words.
func TestTextManifest(t *testing.T) {
	const demo = "title: {en: x}\nsteps:\n  - id: a\n    at: 1s\n    kubectl: apply -f -\n    manifest: |\n      kind: Pod\n%s\n"
	for text, want := range map[string]string{
		"      metadata: {name: x\n      spec: {}": "x.yaml:8:17: the manifest cannot be read: { is not closed (close the {)",
		"      metadata:\n      \tname: x":         "x.yaml:9:7: the manifest cannot be read: this line is indented with a tab (indent with spaces: YAML allows no tabs there)",
		"      metadata: {name: x}":                "",
	} {
		_, problems := demofile.Parse("x", "x.yaml", fmt.Appendf(nil, demo, text), []string{"en"})
		got := ""
		for _, p := range problems {
			got += fmt.Sprintln(p)
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// TestPlaceInTextManifest: what a run says of a manifest of several lines has its place there, in whichever document.
func TestPlaceInTextManifest(t *testing.T) {
	const other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n---\n"
	const rs = "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web}\nspec:\n  replicas: %s\n  selector: {matchLabels: {app: web}}\n" +
		"  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers:\n        - name: web\n          %s: nginx\n"
	for _, test := range []struct{ head, text, want string }{
		{"|", fmt.Sprintf(rs, "1", "imege"), `19:21: `},
		{"|", other + fmt.Sprintf(rs, "1", "imege"), `23:21: `},
		{"|2-", fmt.Sprintf(rs, "-1", "image"), `12:23: `},
		{"|", other + fmt.Sprintf(rs, `"3"`, "image"), `16:23: `},
		{">", "apiVersion: v1\n\nkind: ConfigMap\n\nmetadata: {name: x, nane: y}\n", `7:15: `},
	} {
		src := "title: {en: x}\ncluster: {nodes: 1}\nsteps:\n  - id: a\n    at: 1s\n    kubectl: apply -f -\n    manifest: " + test.head + "\n"
		indent := strings.Repeat(" ", 10)
		if test.head == "|2-" {
			src, indent = strings.Replace(src, "|2-", "|6-", 1), indent[:10]
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(test.text, "\n"), "\n") {
			src += indent + line + "\n"
		}
		file, problems := demofile.Parse("x", "x.yaml", []byte(src), []string{"en"})
		compareNone(t, problems)
		result, err := session.Record(file.Scenario)
		if err != nil {
			t.Fatal(err)
		}
		if said := file.Locate(result.Failures); len(said) != 1 || !strings.HasPrefix(said[0].Error(), "x.yaml:"+test.want) {
			t.Errorf("%s\ngot  %v\nwant %s", src, said, test.want)
		}
	}
}

// TestFieldsOfClaims: a field that a kind does not have is none, with what was meant; a map's keys, and the fields of kinds that the
// demo defines, are whatever they are.
func TestFieldsOfClaims(t *testing.T) {
	for fields, want := range map[string]string{
		"resource: pods, fields: {status.phaze: Running}":                          `unknown field "status.phaze" of pods (did you mean "status.phase"?)`,
		"resource: pods, fields: {spec.containers.0.imege: nginx}":                 `unknown field "spec.containers.0.imege" of pods (did you mean "spec.containers.0.image"?)`,
		"resource: pods, fields: {'status.conditions[Ready].stats': 'True'}":       `unknown field "status.conditions[Ready].stats" of pods (did you mean "status.conditions[Ready].status"?)`,
		"resource: rs, fields: {spec.zzzzzzzzzz.x: 1}":                             `unknown field "spec.zzzzzzzzzz" of replicasets (known: minReadySeconds, replicas, selector, template)`,
		"resource: pods, fields: {'metadata.labels[a.b/c]': d}":                    "",
		"resource: pods, fields: {metadata.labels.phaze: d}":                       "",
		"resource: pods, fields: {spec.containers.0.resources.requests.cpu: 500m}": "",
		"resource: configmaps, fields: {data.phaze: d}":                            "",
		"resource: secrets, fields: {data.phaze: d}":                               "",
		"resource: nodes, fields: {kind: Node, 'status.capacity.x.y/z': 1}":        "",
		"resource: workspaces.example.com, fields: {status.phaze: Running}":        "",
	} {
		_, problems := parse(change(t, "resource: pods, labels: app=web, fields: {status.phase: Running}", fields))
		got := ""
		for _, p := range problems {
			got += p.Message
		}
		if got != want && !(want == "" && strings.HasPrefix(got, "the server doesn't have a resource type")) {
			t.Errorf("%s: got %s, want %s", fields, got, want)
		}
	}
}
