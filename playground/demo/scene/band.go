package scene

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/trace"
)

var frameMarks = map[string]string{"down": "✕", "not-ready": "!", "cut": "↮", "failing": "↯", "slow": "◷"}

// upState is a component's state.
func (s *Stage) upState(component string) string {
	if up, known := s.cast[component]; known && !up {
		return "down"
	}
	if t := s.trouble(component); t.state != "" {
		return t.state
	}
	return "running"
}

// storeState is what is wrong with etcd, "" for nothing.
func (s *Stage) storeState() string {
	if state := s.upState("etcd"); state != "running" {
		return state
	}
	return ""
}

// deed is what was done last from outside: a command of kubectl, or what befell
// the cluster.
type deed struct {
	word    string   // what it is, unless a command says it
	mark    string   // a sign for it
	options []string // the command, or who it befell, from long to short
}

// outside are the inputs that are no commands.
var outside = map[string]string{"kill-node": "✕", "start-node": "↑", "terminate-instance": "✕", "drop-watch": "↯", "stop": "✕", "start": "↑", "partition": "↮", "slow": "◷", "fail": "↯",
	"heal": "✓"}

// command keeps what an input says, in few words.
func (s *Stage) command(e *trace.Event) {
	s.dirty.user = true
	kind := e.Text("kind")
	if mark, ok := outside[kind]; ok {
		whom := e.Text("node") + e.Text("component")
		s.done = deed{word: "scene.input." + kind, mark: mark, options: []string{whom, brief(whom)}}
		return
	}
	object := ""
	switch o := e.Object; {
	case o.Name != "" && kind != "scale":
		object = strings.ToLower(kindOf(o.Resource)) + "/" + o.Name
	case o.Name != "":
		object = short(o.Resource) + "/" + o.Name
	case e.Text("selector") != "":
		object = short(o.Resource) + " -l " + e.Text("selector")
	case o.Resource != "":
		object = short(o.Resource)
	}
	if oldest := e.Text("oldest"); oldest != "" { // of those whose names begin as the input's
		object = strings.ToLower(kindOf(e.Object.Resource)) + "/" + oldest
	}
	bare := object[strings.IndexByte(object, '/')+1:]
	switch kind {
	case "apply", "create":
		file := "file.yaml"
		if name := named(e.Text("manifest")); name != "" {
			file = name + ".yaml"
		}
		s.done = deed{options: []string{kind + " -f " + file, kind + " " + file, file}}
	case "scale":
		n := e.Text("replicas")
		s.done = deed{options: []string{"scale " + object + " --replicas=" + n, "scale " + object + " " + n, "scale " + bare + " " + n, "replicas=" + n}}
	case "request":
		s.done = deed{options: []string{"curl " + e.Text("url"), e.Text("url")}}
	case "api-request":
		path, _, _ := strings.Cut(e.Text("url"), "?")
		method := e.Text("method")
		s.done = deed{options: []string{method + " " + path, method + " …" + path[strings.LastIndexByte(path, '/'):], method}}
	case "type":
		s.done = deed{options: []string{e.Text("line")}}
	case "kubectl":
		s.done = deed{options: typed(e.Text("command"))}
	default:
		s.done = deed{options: []string{kind + " " + object, kind + " " + bare, kind + " " + short(e.Object.Resource)}}
	}
}

// typed is a command line, from long to short: as it was typed, without its
// flags but the number of replicas, with the resource's short name, without what it is about.
func typed(line string) []string {
	words := strings.Fields(line)
	bare := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") })
	verb := bare[:min(2, len(bare))]
	for _, w := range words {
		if n, ok := strings.CutPrefix(w, "--replicas="); ok {
			bare = append(slices.Clone(bare), n)
		}
	}
	briefly := slices.Clone(bare)
	for i, w := range briefly {
		if resource, name, ok := strings.Cut(w, "/"); ok && api.Resolve(resource) != nil {
			briefly[i] = short(resource) + "/" + name
		}
	}
	return []string{line, strings.Join(bare, " "), strings.Join(briefly, " "), strings.Join(verb, " "), strings.Join(verb[:min(1, len(verb))], " ")}
}

// brief is a component's name without what most of them share.
func brief(component string) string {
	return strings.TrimPrefix(strings.TrimSuffix(component, "-controller"), "kube-")
}

// named is the name in a manifest; "" when there is none.
func named(manifest string) string {
	var m struct {
		Metadata struct{ Name, GenerateName string }
	}
	if json.Unmarshal([]byte(manifest), &m) != nil {
		return ""
	}
	if m.Metadata.Name != "" {
		return m.Metadata.Name
	}
	return strings.TrimRight(m.Metadata.GenerateName, "-")
}

// short is a resource as kubectl lets one write it.
func short(resource string) string {
	if k := api.Resolve(resource); k != nil {
		if len(k.ShortNames) > 0 && k.Resource != "nodes" { // "no" is another word
			return k.ShortNames[0]
		}
		return strings.ToLower(k.Kind)
	}
	return plural(resource)
}

// plural is a resource without the group of a custom kind: "foos" of "foos.samplecontroller.k8s.io".
func plural(resource string) string {
	name, _, _ := strings.Cut(resource, ".")
	return name
}

func count(n int64) string { return strconv.FormatInt(n, 10) }

// commit puts a revision on the strip.
func (s *Stage) commit(e *trace.Event) {
	n, _ := e.Get("revision").(int64)
	s.revisions = append(s.revisions, revision{n, strings.ToLower(e.Text("type")), e.Object})
	if most := 7; len(s.revisions) > most {
		s.revisions = append([]revision(nil), s.revisions[len(s.revisions)-most:]...)
	}
}

func kindOf(resource string) string {
	if k := api.Resolve(resource); k != nil {
		return k.Kind
	}
	return resource
}
