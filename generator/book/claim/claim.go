// Package claim is what a chapter's sentences say of a demo, so that a build
// can tell whether it is so. A claim stands as a link, whose text is what the
// sentence says and whose destination is where that comes from:
//
//	The ReplicaSet has [3](<demo:replicaset-scale@running rs/web .status.readyReplicas>) ready Pods.
//
// So it reads well wherever Markdown is shown, and leads readers to the moment.
//
//	demo:NAME                               the demo: any text
//	demo:NAME@MARK                          a moment: its number in the demo, or a phrase without numbers
//	demo:NAME@MARK rs/web .status.replicas  an object's field as of then; -n NAMESPACE where names are not enough
//	demo:NAME@MARK count pods -l app=web .status.phase=Running
//	                                        how many objects; also pods/web-*
//	demo:NAME@A..B count request.send who=replicaset-controller verb=create
//	                                        how many events of the trace after A, up to B
//	demo:NAME@A..B time                     how long from one moment to the other
//	demo:NAME@A time container.start object="pods default/web-*"
//	                                        how long from A to the first such event
//	demo:NAME@MARK event need               a value of the event at that moment
//	demo:NAME@MARK output                   a part of what the last command had printed by then
//	demo:NAME?WORLD@MARK …                  any of these in a counterfactual of the demo: where that world comes to the mark
//	demo:NAME?WORLD                         where that world parts from the real one: any text
//
// Without a mark the demo's end is meant, and for events all after its set-up.
// Conditions are = and !=, of texts that may begin and end in *, and <, <=, > and
// >= of numbers, quantities and times. In a destination between angle brackets
// Markdown wants those as \< and \>.
//
// What is asked is a Record: what the build keeps of a run, as plain data.
package claim

import (
	"fmt"
	"strings"
	"unicode"

	"kubewalk/generator/problem"
	"kubewalk/playground/api"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/trace"
)

// Scheme opens a claim's destination.
const Scheme = "demo:"

// Claim is a destination, read. Two that ask the same are equal in their Text.
type Claim struct {
	Demo     string
	World    string // a counterfactual; "" is the real world
	From, To string // marks; From is "" for a single moment, To for the end
	Asks     Question
	Text     string // what is asked, as it is written but for spaces: "rs/web .status.readyReplicas"

	objects    scenario.Objects
	path       string // of a field, or a key of an event
	match      scenario.Match
	conditions []condition // but those with =
}

// Question is what kind of thing a claim is about.
type Question int

// The questions.
const (
	Nothing       Question = iota // the demo itself
	Moment                        // a mark's number
	Field                         // a field of an object
	CountObjects                  // how many objects
	CountEvents                   // how many events
	Time                          // when, or how long
	TimeUntil                     // how long until an event
	EventValue                    // a value of an event
	CommandOutput                 // what a command printed
)

// Forms are the words that an expression begins with, beside an object.
var forms = []string{"count", "time", "event", "output"}

// Destination is the claim as it is written: two that are equal claim the same.
func (c *Claim) Destination() string {
	out := Scheme + c.Demo
	if c.World != "" {
		out += "?" + c.World
	}
	switch {
	case c.From != "":
		out += "@" + c.From + ".." + c.To
	case c.To != "":
		out += "@" + c.To
	}
	return strings.TrimSpace(out + " " + c.Text)
}

// Parse reads a destination. The error is a problem.Problem without a place.
func Parse(destination string) (*Claim, error) {
	rest, ok := strings.CutPrefix(destination, Scheme)
	if !ok {
		return nil, wrong("write demo:NAME@MARK and what is asked", "%q is not a claim", destination)
	}
	words, err := split(rest)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 || words[0] == "" || strings.ContainsRune("@?", rune(words[0][0])) {
		return nil, wrong("write the name of a file in content/demos behind it, without .yaml", "%q names no demo", destination)
	}
	c := &Claim{}
	name, at, hasMark := strings.Cut(words[0], "@")
	demo, world, hasWorld := strings.Cut(name, "?")
	switch {
	case hasWorld && world == "":
		return nil, wrong("write the id of one under whatIf: in the demo's file behind the ?, or leave it out", "%q names no counterfactual", words[0])
	case strings.Contains(at, "?"):
		return nil, wrong("write demo:NAME?WORLD@MARK", "a counterfactual behind the mark in %q", words[0])
	}
	c.Demo, c.World, c.To = demo, world, at
	if from, to, ok := strings.Cut(at, ".."); ok {
		if c.From, c.To = from, to; from == "" {
			return nil, wrong("write @FIRST..LAST, or @LAST", "a time without its first mark in %q", words[0])
		}
	} else if hasMark && at == "" {
		return nil, wrong("write a mark of the demo's file behind the @, or leave it out", "%q names no mark", words[0])
	}
	c.Text = strings.Join(quoted(words[1:]), " ")
	return c, c.expression(words[1:])
}

func (c *Claim) expression(words []string) error {
	if len(words) == 0 {
		if c.From != "" {
			return wrong("say what: count, or time", "a time from %q to %q, and nothing asked of it", c.From, c.To)
		}
		if c.Asks = Moment; c.To == "" {
			c.Asks = Nothing
		}
		return nil
	}
	first, more := words[0], words[1:]
	switch {
	case first == "count":
		return c.count(more)
	case first == "time":
		if c.Asks = Time; len(more) > 0 {
			c.Asks = TimeUntil
			return c.events(more)
		}
		if c.To == "" && c.From == "" {
			return wrong("write demo:NAME@MARK time, or @FIRST..LAST", "time of no moment")
		}
		return nil
	case first == "event" && c.From == "" && c.To != "" && len(more) <= 1:
		c.Asks = EventValue
		if len(more) == 0 {
			return wrong("write its key behind it, as the event log shows it: event message", "no value of the event is named")
		}
		c.path = more[0]
		return nil
	case first == "output" && c.From == "" && len(more) == 0:
		c.Asks = CommandOutput
		return nil
	case strings.Contains(first, "/"):
		return c.field(first, more)
	}
	cure := "write RESOURCE/NAME .FIELD, or one of: " + strings.Join(forms, ", ")
	if near := problem.Nearest(first, forms); near != "" && near != first {
		cure = fmt.Sprintf("did you mean %q?", near)
	}
	return wrong(cure, "%q asks nothing", strings.Join(words, " "))
}

func (c *Claim) field(object string, more []string) error {
	const form = "write RESOURCE/NAME .FIELD: rs/web .status.readyReplicas"
	c.Asks = Field
	if c.From != "" {
		return wrong("name one mark", "a field has one value at a moment, and none from %q to %q", c.From, c.To)
	}
	kind, err := c.resource(object)
	if err != nil {
		return err
	}
	for len(more) > 0 {
		word := more[0]
		more = more[1:]
		switch {
		case word == "-n" && len(more) > 0:
			c.objects.Namespace, more = more[0], more[1:]
		case c.path == "" && (strings.HasPrefix(word, ".") || strings.HasPrefix(word, "{.")):
			c.path = strings.TrimPrefix(strings.Trim(word, "{}"), ".")
		default:
			return wrong(form, "%q behind %s", word, object)
		}
	}
	if c.path == "" {
		return wrong(form, "no field of %s is named", object)
	}
	return checkPath(kind, c.path)
}

// resource reads "rs/web", "pods" or "pods/web-*".
func (c *Claim) resource(text string) (*api.Kind, error) {
	resource, name, _ := strings.Cut(text, "/")
	plural, ok := cluster.ResourceFor(resource)
	if !ok {
		return nil, wrong(nearResource(resource), "unknown resource %q", resource)
	}
	c.objects.Resource, c.objects.Name = plural, name
	return api.Resolve(resource), nil
}

func nearResource(name string) string {
	var known []string
	for _, k := range api.Kinds() {
		known = append(append(known, k.Singular, k.Resource), k.ShortNames...)
	}
	if near := problem.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "write it as kubectl has it: pods, rs, deployments"
}

func (c *Claim) count(words []string) error {
	if len(words) == 0 {
		return wrong("write a resource (count pods) or a kind of event (count request.send)", "nothing to count")
	}
	if trace.Known(trace.Op(words[0])) {
		c.Asks = CountEvents
		return c.events(words)
	}
	if strings.Contains(words[0], ".") {
		return wrong(problem.DidYouMean(words[0], trace.OpNames()), "unknown kind of event %q", words[0])
	}
	c.Asks = CountObjects
	if c.From != "" {
		return wrong("name one mark, or count a kind of event", "objects are counted at a moment, not from %q to %q", c.From, c.To)
	}
	kind, err := c.resource(words[0])
	if err != nil {
		return err
	}
	c.objects.Fields = map[string]string{}
	for more := words[1:]; len(more) > 0; {
		word := more[0]
		more = more[1:]
		field, isField, err := cutCondition(word)
		switch {
		case err != nil:
			return err
		case (word == "-n" || word == "-l") && len(more) > 0:
			if word == "-n" {
				c.objects.Namespace = more[0]
			} else if c.objects.Labels = more[0]; true {
				if _, err := labels.Parse(more[0]); err != nil {
					return wrong("write it as for kubectl get: -l app=web", "label selector %q: %v", more[0], err)
				}
			}
			more = more[1:]
		case strings.HasPrefix(word, ".") && isField:
			if field.Op == "=" {
				c.objects.Fields[field.key] = field.Than
			} else {
				c.conditions = append(c.conditions, field)
			}
			if err := field.fits(kind); err != nil {
				return err
			}
		default:
			return wrong("conditions are -n NAMESPACE, -l SELECTOR and .FIELD=VALUE, or != < <= > >=", "%q behind count %s", word, words[0])
		}
	}
	return nil
}

// events reads "request.send who=replicaset-controller verb=create".
func (c *Claim) events(words []string) error {
	if !trace.Known(trace.Op(words[0])) {
		return wrong(problem.DidYouMean(words[0], trace.OpNames()), "unknown kind of event %q", words[0])
	}
	c.match.Op, c.match.Attrs = words[0], map[string]string{}
	for _, word := range words[1:] {
		k, ok, err := cutCondition(word)
		isName := k.key == "who" || k.key == "object"
		switch {
		case err != nil:
			return err
		case !ok || k.key == "":
			return wrong(`write KEY=VALUE, or != < <= > >=; who= is the component, object= is "pods default/web-*"`, "condition %q of events", word)
		case isName && k.compares():
			return wrong("write "+k.key+"= or "+k.key+"!=, with a * for any", "%s is a name, which has no order, in %q", k.key, word)
		case k.Op != "=":
			if err := k.known(); err != nil {
				return err
			}
			c.conditions = append(c.conditions, k)
		case k.key == "who":
			c.match.Who = k.Than
		case k.key == "object":
			c.match.Object = k.Than
		default:
			c.match.Attrs[k.key] = k.Than
		}
	}
	return nil
}

func wrong(cure, format string, args ...any) error {
	return problem.Problem{Message: fmt.Sprintf(format, args...), Cure: cure}
}

// split divides at spaces; what stands in quotes is one word with what it touches.
func split(text string) (words []string, err error) {
	var word strings.Builder
	inside, begun := false, false
	for _, r := range text {
		switch {
		case r == '"':
			inside, begun = !inside, true
		case !inside && unicode.IsSpace(r):
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if inside {
		return nil, wrong("close it", "a quotation mark is open in %q", text)
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

// quoted undoes split.
func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, word := range words {
		if out[i] = word; word != "" && !strings.ContainsFunc(word, unicode.IsSpace) {
			continue
		}
		key, value, ok := strings.Cut(word, "=")
		if !ok || strings.ContainsFunc(key, unicode.IsSpace) {
			key, value = "", word
		} else {
			key += "="
		}
		out[i] = key + `"` + value + `"`
	}
	return out
}
