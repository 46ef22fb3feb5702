package apiserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// TestBadInput sends what kubectl sent to a real Kubernetes 1.36.3 (testdata/bad-input.txt, recorded) and compares what
// kubectl printed with what it would print for our answers.
//
// kubectl's own part is written out in words, below. The recording's managedFields are taken out, since they are not
// stored here; uids, versions and times are masked as in the recording.
func TestBadInput(t *testing.T) {
	text, err := os.ReadFile("testdata/bad-input.txt")
	if err != nil {
		t.Fatal(err)
	}
	files, steps := parseTranscript(string(text))
	w := newWorld(t, trace.Off)
	compared := 0
	w.run(func(p *sim.Proc) {
		for _, s := range steps {
			if strings.Contains(s.command, `"value":"three"`) {
				w.observe(p) // the controller manager had been there when this was recorded
			}
			r, when := requestFor(t, files, s.command)
			if r == nil {
				continue
			}
			_, err := w.do(p, r)
			got, want := mask(words(err, when)), unableToFind.ReplaceAllString(s.stderr, "")
			if got != want {
				t.Errorf("$ %s\ngot  %s\nwant %s", s.command, got, want)
			}
			compared++
		}
	})
	if compared < 20 {
		t.Errorf("only %d commands of the recording were compared", compared)
	}
}

// unableToFind is what kubectl puts before the server's words about a list.
var unableToFind = regexp.MustCompile(`Unable to find "[^"]*" that match label selector "[^"]*", field selector "[^"]*": `)

type step struct{ command, stderr string }

func parseTranscript(text string) (files map[string]string, steps []step) {
	files = map[string]string{}
	file := ""
	for _, line := range strings.SplitAfter(text, "\n") {
		trimmed := strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "-- "):
			file = strings.Trim(trimmed, "- ")
		case file != "":
			files[file] += line
		case strings.HasPrefix(line, "$ "):
			steps = append(steps, step{command: trimmed[2:]})
		case strings.HasPrefix(line, "stderr: "):
			s := &steps[len(steps)-1]
			s.stderr = strings.TrimPrefix(s.stderr+"\n"+withoutManagedFields(trimmed[len("stderr: "):]), "\n")
		}
	}
	return files, steps
}

func withoutManagedFields(line string) string {
	from := strings.Index(line, `,\"managedFields\":[`)
	if from < 0 {
		return line
	}
	to := strings.Index(line, `},\"spec\":`)
	return line[:from] + line[to:]
}

// ownWords are commands of which kubectl speaks itself, or which are about kinds that are not served.
var ownWords = map[string]string{
	"kubectl apply -f duplicate-field.yaml":               "kubectl drops the repeated key when it reads YAML",
	"kubectl delete configmap dup":                        "of the one before",
	"kubectl apply -f nokind.yaml":                        "kubectl validates",
	"kubectl apply -f unknown-kind.yaml":                  "kubectl looks into the discovery",
	"kubectl get nosuchresource":                          "kubectl looks into the discovery",
	"kubectl get pods -n nosuch":                          "an empty list is no error",
	"kubectl get rs web --namespace=UPPER":                "kubectl looks for the namespace itself",
	"kubectl label rs web tier=front":                     "good",
	"kubectl label rs web tier=back":                      "kubectl compares",
	"kubectl create deployment x --image=nginx -n nosuch": "kubectl's words are its own: see TestNamespaces",
	"kubectl delete rs web":                               "good",
}

// requestFor makes the request that kubectl made of a command. when is what kubectl puts before the server's words.
func requestFor(t *testing.T, files map[string]string, command string) (r *client.Request, when string) {
	t.Helper()
	if _, ok := ownWords[command]; ok {
		return nil, ""
	}
	words := strings.Fields(command)
	rs := func(verb, name string) *client.Request {
		return &client.Request{Verb: verb, Resource: rsResource, Namespace: "default", Name: name}
	}
	quoted := func(s string) string { return strings.Split(s, "'")[1] }
	switch verb := words[1]; verb {
	case "apply", "create", "replace":
		body, err := yaml.YAMLToJSON([]byte(files[words[3]]))
		if err != nil {
			t.Fatal(err)
		}
		var head struct {
			APIVersion, Kind string
			Metadata         struct{ Name string }
		}
		if err := json.Unmarshal(body, &head); err != nil {
			t.Fatal(err)
		}
		kind := api.Resolve(head.Kind)
		r := &client.Request{Verb: client.Create, Resource: kind.GroupVersionResource(), Namespace: "default", Body: body}
		if verb == "replace" {
			r.Verb, r.Name = client.Update, head.Metadata.Name
			return r, fmt.Sprintf("error when replacing %q: ", words[3])
		}
		return r, fmt.Sprintf("error when creating %q: ", words[3])
	case "patch":
		r := rs(client.Patch, "web")
		r.PatchType, r.Patch = "application/merge-patch+json", []byte(quoted(command))
		if words[4] == "--type=json" {
			r.PatchType = "application/json-patch+json"
		}
		return r, ""
	case "label":
		key, value, _ := strings.Cut(quoted(command), "=")
		r := rs(client.Patch, "web")
		r.PatchType = "application/merge-patch+json"
		r.Patch = fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, key, value)
		return r, ""
	case "scale":
		r := rs(client.Patch, "nosuch")
		r.Subresource, r.PatchType, r.Patch = "scale", "application/merge-patch+json", []byte(`{"spec":{"replicas":1}}`)
		return r, ""
	case "delete":
		return rs(client.Delete, words[3]), ""
	case "get":
		if selector, ok := strings.CutPrefix(command, "kubectl get rs --selector="); ok {
			r := rs(client.List, "")
			r.List.LabelSelector = strings.Trim(selector, "'")
			return r, ""
		}
		if selector, ok := strings.CutPrefix(command, "kubectl get pods --field-selector="); ok {
			r := &client.Request{Verb: client.List, Resource: podsResource, Namespace: "default"}
			r.List.FieldSelector = selector
			return r, ""
		}
		return rs(client.Get, words[3]), ""
	}
	t.Fatalf("the recording has a command that the test doesn't know: %s", command)
	return nil, ""
}

// words is what kubectl prints for an error of the server.
// Upstream: k8s.io/kubectl/pkg/cmd/util/helpers.go, checkErr and statusCausesToAggrError.
func words(err error, when string) string {
	var e *apierrors.StatusError
	if !errors.As(err, &e) {
		return fmt.Sprint(strings.TrimPrefix(fmt.Sprint(err), "<nil>"))
	}
	s := e.ErrStatus
	if s.Reason != "Invalid" {
		return fmt.Sprintf("Error from server (%s): %s%s", s.Reason, when, s.Message)
	}
	text := "The request is invalid"
	if d := s.Details; d.Kind != "" || d.Name != "" {
		text = fmt.Sprintf("The %s %q is invalid", d.Kind, d.Name)
	} else if len(d.Causes) == 0 {
		text += ": " + s.Message
	}
	var causes []string
	for _, c := range s.Details.Causes {
		causes = append(causes, c.Field+": "+c.Message)
	}
	switch len(causes) {
	case 0:
		return text
	case 1:
		return text + ": " + causes[0]
	}
	return text + ":\n* " + strings.Join(causes, "\n* ")
}

var masks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\\"uid\\":\\"[^"]*\\"`), `\"uid\":\"<uid-1>\"`},
	{regexp.MustCompile(`\\"resourceVersion\\":\\"[^"]*\\"`), `\"resourceVersion\":\"<rv>\"`},
	{regexp.MustCompile(`\\"creationTimestamp\\":\\"[^"]*\\"`), `\"creationTimestamp\":\"<time>\"`},
}

func mask(s string) string {
	for _, m := range masks {
		s = m.pattern.ReplaceAllLiteralString(s, m.with)
	}
	return s
}

// observe writes the status that the ReplicaSet controller writes for no replicas.
func (w *world) observe(p *sim.Proc) {
	rs := w.must(p, get(rsResource, "web")).(*appsv1.ReplicaSet).DeepCopyObject().(*appsv1.ReplicaSet)
	rs.Status.ObservedGeneration, rs.Status.TerminatingReplicas = 1, new(int32)
	w.must(p, update(rsResource, "status", rs))
}
