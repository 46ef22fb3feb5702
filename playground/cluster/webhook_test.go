package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

func hook(args string) string {
	return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"hook","labels":{"app":"hook"}},"spec":{"containers":[
		{"name":"hook","image":"kubewalk.dev/app","args":[` + args + `],"ports":[{"containerPort":8443}]}]}}`
}

const hookService = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"hook"},"spec":{"selector":{"app":"hook"},"ports":[{"port":443,"targetPort":8443}]}}`

// configuration is one of webhooks, for what is created in the namespace default.
func configuration(kind, name, more string) string {
	return `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"` + kind + `","metadata":{"name":"` + name + `"},"webhooks":[{
		"name":"` + name + `.kubewalk.dev","sideEffects":"None","admissionReviewVersions":["v1"],
		"clientConfig":{"service":{"namespace":"default","name":"hook","path":"/review"}},
		"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"default"}},
		"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]},
			{"apiGroups":["apps"],"apiVersions":["v1"],"operations":["*"],"resources":["deployments"]}]` + more + `}]}`
}

const (
	mutating   = "MutatingWebhookConfiguration"
	validating = "ValidatingWebhookConfiguration"
)

// try applies a manifest and returns its outcome.
func (w *netWorld) try(manifest string) cluster.Outcome {
	w.Helper()
	w.do(cluster.Input{Kind: cluster.Apply, Manifest: []byte(manifest)})
	for end := w.Elapsed() + time.Minute; ; {
		all := w.Outcomes()
		if o := all[len(all)-1]; o.Done {
			return o
		}
		if w.Elapsed() > end {
			w.Fatal("an apply was never answered")
		}
		at, _ := w.Next()
		w.RunUntil(at)
	}
}

func (w *netWorld) configMap(name string) *corev1.ConfigMap {
	c, _ := w.Trace().Now()[trace.Cell{Kind: trace.CellObject, Owner: "configmaps", Key: "default/" + name}].(*corev1.ConfigMap)
	return c
}

func configMap(name, labels string) string {
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `","labels":{` + labels + `}},"data":{"a":"b"}}`
}

func TestWebhooks(t *testing.T) {
	w := newNetWorld(t, 1, false, hook(`"--require-label=team"`), hookService)
	if o := w.try(configMap("before", "")); o.Error != "" {
		t.Fatal(o.Error)
	}
	w.try(configuration(validating, "labels", ""))
	o := w.try(configMap("without", ""))
	if want := `admission webhook "labels.kubewalk.dev" denied the request: label "team" is required`; !strings.Contains(o.Error, want) {
		t.Errorf("%q", o.Error)
	}
	if o := w.try(configMap("with", `"team":"a"`)); o.Error != "" {
		t.Error(o.Error)
	}
	if o := w.try(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"other"}}`); o.Error != "" {
		t.Errorf("a kind that no rule names: %s", o.Error)
	}
	if o := w.try(strings.Replace(configMap("elsewhere", ""), `"labels"`, `"namespace":"kube-public","labels"`, 1)); o.Error != "" {
		t.Errorf("a namespace that is not selected: %s", o.Error)
	}
	// What asks is seen on the wire, by who it is.
	packets := 0
	for _, e := range w.Trace().Events(1) {
		if e.Op == trace.NetRequest && e.Get("from") == cluster.APIServer {
			packets++
		}
	}
	if packets != 2 {
		t.Errorf("%d requests of the API server", packets)
	}
}

func TestMutatingWebhook(t *testing.T) {
	w := newNetWorld(t, 2, false, hook(`"--default-label=team=unknown,a/b=c"`), hookService)
	w.try(configuration(mutating, "defaults", ""))
	if o := w.try(configMap("a", "")); o.Error != "" {
		t.Fatal(o.Error)
	}
	if c := w.configMap("a"); c == nil || c.Labels["team"] != "unknown" || c.Labels["a/b"] != "c" || c.Data["a"] != "b" {
		t.Errorf("%v", c)
	}
	if o := w.try(configMap("b", `"team":"mine"`)); o.Error != "" {
		t.Fatal(o.Error)
	}
	if c := w.configMap("b"); c == nil || c.Labels["team"] != "mine" {
		t.Errorf("%v", c)
	}
}

func TestWebhookThatIsNotThere(t *testing.T) {
	const post = `failed calling webhook "labels.kubewalk.dev": failed to call webhook: Post "https://hook.default.svc:443/review?timeout=`
	for name, c := range map[string]struct {
		manifests []string
		more      string
		want      string // "" is that the request passes
		takes     time.Duration
	}{
		"no service":   {nil, "", post + `10s": service "hook" not found`, 0},
		"no endpoints": {[]string{hookService}, "", post + `10s": no endpoints available for service "hook"`, 0},
		"nobody listens": {[]string{hookService, hook(`"--require-label=team","--ready-after=10m"`)}, "",
			post + `10s": dial tcp 10.244.`, 0},
		"too slow": {[]string{hookService, hook(`"--require-label=team","--latency=20s"`)}, `,"timeoutSeconds":2`,
			post + `2s": context deadline exceeded`, 2 * time.Second},
		"no review": {[]string{hookService, hook("")}, "", `failed calling webhook "labels.kubewalk.dev": failed to call webhook: couldn't get version/kind; json parse error: ` +
			`json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`, 0},
		"passed over": {[]string{hookService}, `,"failurePolicy":"Ignore"`, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newNetWorld(t, 3, false, c.manifests...)
			w.try(configuration(validating, "labels", c.more))
			before := w.Elapsed()
			o := w.try(configMap("a", ""))
			if c.want == "" {
				if o.Error != "" || w.configMap("a") == nil {
					t.Error(o.Error)
				}
				return
			}
			if !strings.Contains(o.Error, "Internal error occurred: "+c.want) {
				t.Errorf("got  %s\nwant %s", o.Error, c.want)
			}
			if w.Elapsed()-before < c.takes {
				t.Errorf("it took %v", w.Elapsed()-before)
			}
			// Nobody is locked out: the configuration itself passes no webhook.
			if o := w.try(configuration(validating, "labels", `,"failurePolicy":"Ignore"`)); o.Error != "" {
				t.Error(o.Error)
			}
			if o := w.try(configMap("a", "")); o.Error != "" && !strings.Contains(o.Error, "denied") {
				t.Error(o.Error)
			}
		})
	}
}
