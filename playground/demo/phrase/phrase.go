// Package phrase says events in words: one short sentence for each kind of
// event, in each of the book's languages.
//
// Only Go decides which sentence an event gets (Of). What fills it are the
// event's own keys and values. The sentences are templates with {names} in
// en.json and ja.json; the page loads the same files and fills them in the same
// way (Fill). A key that begins with "sum." is for several events of the key behind it (Sum), one that begins with "kind." is a resource's
// kind (Thing). Keys that begin with "scene." are words in the picture, keys that begin with "ui." are the page's own.
package phrase

import (
	"cmp"
	_ "embed" // the templates
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/trace"
)

//go:embed en.json
var en []byte

//go:embed ja.json
var ja []byte

// Files are the templates of each language, as JSON: what the page loads.
var Files = map[string][]byte{"en": en, "ja": ja}

// tables are the same, parsed.
var tables = parse()

func parse() map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, lang := range Languages() {
		var t map[string]string
		if err := json.Unmarshal(Files[lang], &t); err != nil {
			panic(fmt.Sprintf("phrase: %s.json: %v", lang, err))
		}
		out[lang] = t
	}
	return out
}

// Languages lists the languages there are.
func Languages() []string { return []string{"en", "ja"} }

// Table returns a language's templates by key: English ones for a language that
// nobody has translated them to. It must not be changed.
func Table(lang string) map[string]string {
	if t := tables[lang]; t != nil {
		return t
	}
	return tables["en"]
}

// Keys lists a language's keys, in order.
func Keys(lang string) []string {
	t := Table(lang)
	out := make([]string, 0, len(t))
	for k := range t {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// Word returns the template of a key as it is; "" when there is none.
func Word(lang, key string) string { return Table(lang)[key] }

// Say fills the template of a key. For a key that it lacks it says the key.
func Say(lang, key string, args map[string]string) string {
	t, ok := Table(lang)[key]
	if !ok {
		return key
	}
	return Fill(t, args)
}

// Fill replaces every {name} by its argument; by nothing when there is none. Of {name:Pod|Pods} it
// takes the first when the argument is 1.
func Fill(template string, args map[string]string) string {
	var b strings.Builder
	for {
		open := strings.IndexByte(template, '{')
		if open < 0 {
			break
		}
		end := strings.IndexByte(template[open:], '}')
		if end < 0 {
			break
		}
		b.WriteString(template[:open])
		name, forms, hasForms := strings.Cut(template[open+1:open+end], ":")
		word := args[name]
		if hasForms {
			one, more, _ := strings.Cut(forms, "|")
			if word == "1" {
				word = one
			} else {
				word = more
			}
		}
		b.WriteString(word)
		template = template[open+end+1:]
	}
	b.WriteString(template)
	return b.String()
}

// Names lists the {names} of a template, in order of appearance, each once.
func Names(template string) []string {
	var out []string
	seen := map[string]bool{}
	for {
		open := strings.IndexByte(template, '{')
		end := strings.IndexByte(template, '}')
		if open < 0 || end < open {
			return out
		}
		if n, _, _ := strings.Cut(template[open+1:end], ":"); !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
		template = template[end+1:]
	}
}

// Sum returns the template of the sentence for several events that have the
// same one, if there is such a sentence. Besides their Args it has {n}, their number, and {resource}.
func Sum(lang, key string) (template string, ok bool) {
	template, ok = Table(lang)["sum."+key]
	return template, ok
}

// Args are what fills an event's template: its attributes, and
//
//	who      its component
//	process  the process in it
//	object   what it is about: "pods default/web-x2k9p"
//	thing    the same as one thing: "Pod default/web-x2k9p"
//	name     that object's name
//
// Two of these an attribute of the same name overrides.
func Args(e *trace.Event) map[string]string {
	args := map[string]string{"who": e.Component, "process": e.Process, "object": Object(e.Object), "thing": Thing(e.Object), "name": e.Object.Name}
	for _, a := range e.Attrs {
		if a.Key != "who" && a.Key != "process" {
			args[a.Key] = trace.String(a.Value)
		}
	}
	return args
}

// Object is how an object is named in sentences and on the page:
// "pods default/web-x2k9p"; "pods default/*" where no name is meant, or it has
// none yet; "pods" for those of all namespaces.
func Object(r trace.Ref) string {
	switch {
	case r.Name != "" || r.Resource == "":
		return r.String()
	case r.Namespace == "":
		return r.Resource
	}
	return r.String() + "*"
}

// Thing is how a single object is named where a sentence says what becomes of it: "Pod default/web-x2k9p". What has no name, and what is of a
// resource without a kind here, as those that readers define, is called as Object calls it.
func Thing(r trace.Ref) string {
	kind := Word("en", "kind."+r.Resource)
	name, ok := strings.CutPrefix(r.String(), r.Resource+" ")
	if r.Name == "" || kind == "" || !ok {
		return Object(r)
	}
	return kind + " " + name
}

// none ends the key of a sentence for an event that lacks something of what the
// sentence without it tells.
const none = ".none"

// Of chooses an event's sentence. There is one for every op and variant, in
// every language: the tests say so.
func Of(e *trace.Event) string {
	table := Table("en")
	for _, key := range choices(e) {
		template, ok := table[key]
		if !ok {
			continue
		}
		if _, has := table[key+none]; has && lacks(e, template) {
			return key + none
		}
		return key
	}
	return string(e.Op)
}

// lacks tells whether a place of a template would stay empty.
func lacks(e *trace.Event, template string) bool {
	args := Args(e)
	for _, name := range Names(template) {
		if args[name] == "" {
			return true
		}
	}
	return false
}

// choices are the keys that suit an event, the most exact first.
func choices(e *trace.Event) []string {
	op := string(e.Op)
	switch e.Op {
	case trace.Input:
		kind := op + "." + e.Text("kind")
		if value := e.Text("value"); e.Text("kind") == "fail" {
			return []string{kind + "." + cmp.Or(value, "crash"), kind}
		}
		if e.Get("oldest") != nil {
			return []string{kind + ".oldest", kind}
		}
		if url := e.Text("url"); strings.HasPrefix(url, "http://localhost") || strings.HasPrefix(url, "http://127.") {
			return []string{kind + ".local", kind} // of the machine at which commands are typed
		}
		return []string{kind, op}
	case trace.ComponentStop:
		if e.Text("reason") == trace.LostPower {
			return []string{op + ".power"}
		}
	case trace.Log:
		if e.Get("input") != nil {
			return []string{"log.answer"} // to whoever gave it
		}
		said := "log." + slug(e.Text("message"))
		keys := []string{said}
		for _, of := range []string{"deployment", "job"} { // they say it in the words of the ReplicaSet controller
			if e.Get(of) != nil {
				keys = []string{said + "." + of, said}
			}
		}
		if e.Get("error") != nil {
			if e.Text("error") != "" {
				return append(keys, op+".error")
			}
			return []string{op}
		}
		if e.Component == "kubectl" {
			return []string{op + ".kubectl"}
		}
		if m := e.Text("message"); strings.HasPrefix(m, "Starting ") && strings.Contains(m, " controller") {
			keys = append(keys, op+".starting-controller")
		}
		return append(keys, op)
	case trace.RequestSend:
		if strings.HasSuffix(e.Text("path"), "/binding") {
			return []string{op + ".binding"}
		}
		if strings.HasSuffix(strings.SplitN(e.Text("path"), "?", 2)[0], "/status") {
			return []string{op + ".status"}
		}
		verb := e.Text("verb")
		if e.Get("generateName") != nil {
			return []string{op + "." + verb + ".unnamed", op}
		}
		return []string{op + "." + verb, op}
	case trace.RequestReceive:
		if e.Get("generateName") != nil {
			return []string{op + ".unnamed"}
		}
	case trace.RequestReply, trace.RequestDone:
		if e.Get("lost") != nil {
			return []string{op + ".lost"}
		}
		code, _ := e.Get("code").(int64)
		switch {
		case e.Op == trace.RequestDone && code == 0:
			return []string{op + ".lost"}
		case code == 409 && e.Text("reason") == "Conflict":
			return []string{op + ".conflict"}
		case code >= 400:
			return []string{op + ".error"}
		}
	case trace.NetSend, trace.NetReceive:
		if e.Text("from") == e.Text("to") {
			return []string{op + ".local"}
		}
	case trace.StoreCommit:
		if becameReady(e) {
			return []string{op + ".ready"}
		}
		return []string{op + "." + e.Text("type"), op}
	case trace.WatchSend, trace.WatchReceive, trace.CacheSet:
		return []string{op + "." + e.Text("type"), op}
	case trace.WatchClose:
		if e.Text("reason") == "client is gone" {
			return []string{op + ".gone"}
		}
	case trace.QueueAdd:
		return []string{op + "." + e.Text("outcome"), op}
	case trace.QueueDone:
		if again, _ := e.Get("again").(bool); again {
			return []string{op + ".again"}
		}
	case trace.QueueDelay:
		if e.Get("failures") != nil && e.Text("outcome") == "merged" {
			return []string{op + ".merged"}
		}
		if e.Get("failures") != nil {
			return []string{op + ".failures"}
		}
	case trace.SchedulingQueue:
		switch {
		case e.Text("from") == "":
			return []string{op + ".enter"}
		case e.Text("to") == "":
			return []string{op + ".leave"}
		}
	case trace.NodeFilter:
		if fits, _ := e.Get("fits").(bool); !fits {
			return []string{op + ".rejected"}
		}
	case trace.SandboxStart, trace.SandboxStop:
		return []string{op + "." + e.Text("state"), op}
	case trace.ImagePulled:
		switch {
		case e.Text("state") == "removed":
			return []string{op + ".removed"}
		case e.Text("error") != "":
			return []string{op + ".error"}
		case e.Text("took") == "0s": // it was on the disk when the machine booted
			return []string{op + ".present"}
		}
	case trace.NetDrop:
		return []string{op + "." + strings.ToLower(e.Text("reason")), op}
	case trace.NetDone:
		if e.Get("failure") != nil {
			return []string{op + ".failed"}
		}
	case trace.ContainerKill:
		return []string{op + "." + e.Text("signal"), op}
	case trace.ContainerExit:
		return []string{op + "." + e.Text("state"), op + "." + e.Text("reason"), op}
	}
	return []string{op}
}

// becameReady tells the commit with which a Pod is Ready, and was not before.
func becameReady(e *trace.Event) bool {
	for _, d := range e.Deltas {
		pod, ok := d.New.(*corev1.Pod)
		old, had := d.Old.(*corev1.Pod)
		if ok && had && d.Cell.Kind == trace.CellObject {
			return isReady(pod) && !isReady(old)
		}
	}
	return false
}

func isReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// slug makes a key's part of a log message: "Too few replicas" → "too-few-replicas".
func slug(message string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(message) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == ' ' || r == '-' || r == '/':
			b.WriteByte('-')
		}
	}
	return b.String()
}
