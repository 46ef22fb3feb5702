package managedfields

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
)

// Journal is what is known of the owners of one object: those that were worked out, and the writes since then.
type Journal struct {
	managers Managers
	pending  []Write
}

// Write is one write that made another object of an object. Old is nil if it made the object.
type Write struct {
	Old, New api.Object
	// AsSent, if not nil, makes New as its manager sent it, with defaults: what admission added is nobody's.
	AsSent      func() api.Object
	Manager     string
	Subresource string
	At          time.Time
}

// foldAfter is how many writes are only noted: the objects that they made stay in memory until then.
const foldAfter = 32

// Note adds a write. It costs nothing until somebody asks; only an object that is written again and again is worked out
// now and then.
func (j *Journal) Note(ts *Types, w Write) {
	j.pending = append(j.pending, w)
	if len(j.pending) >= foldAfter {
		j.Managers(ts)
	}
}

// Set replaces the owners by those that an apply led to.
func (j *Journal) Set(ms Managers) { j.managers, j.pending = ms, nil }

// Managers works the owners out.
func (j *Journal) Managers(ts *Types) Managers {
	var last api.Object
	var tree any
	for _, w := range j.pending {
		kind := api.KindOf(w.New)
		if w.Old != last || last == nil {
			tree = Tree(orEmpty(w.Old, kind))
		}
		after := any(nil)
		if w.AsSent != nil {
			after = Tree(w.AsSent())
		} else {
			after = Tree(w.New)
		}
		m := Manager{w.Manager, metav1.ManagedFieldsOperationUpdate, kind.GroupVersion().String(), w.Subresource}
		j.managers = j.managers.Update(ts.Of(reflect.TypeOf(w.New)), tree, after, m, ResetFields(kind, w.Subresource), w.At)
		last, tree = w.New, after
		if w.AsSent != nil {
			last = nil
		}
	}
	j.pending = nil
	return j.managers
}

// orEmpty is the object that there was, or the one that everything is added to.
func orEmpty(obj api.Object, kind *api.Kind) api.Object {
	if obj != nil {
		return obj
	}
	obj = kind.New()
	api.SetKind(obj)
	return obj
}

// Empty is the tree of an object of a kind of which nothing is known yet.
func Empty(kind *api.Kind) any { return Tree(orEmpty(nil, kind)) }

// Tree is an object as JSON.
func Tree(obj api.Object) any {
	text, err := api.Encode(obj)
	if err != nil {
		panic("managedfields: an object that is no JSON: " + err.Error())
	}
	tree, err := ParseTree(text)
	if err != nil {
		panic("managedfields: " + err.Error())
	}
	return tree
}

// ParseTree reads JSON; the error is that of encoding/json.
func ParseTree(text []byte) (any, error) {
	var tree any
	return tree, decode(string(text), &tree)
}

// ResetFields are what a write at a place is not about: of the object itself the status, of its status the rest.
// Upstream: GetResetFields of each kind's strategy.
func ResetFields(kind *api.Kind, subresource string) *Set {
	_, hasStatus := kind.Subresource("status")
	switch {
	case subresource == "status":
		return statusResets
	case hasStatus:
		return mainResets
	}
	return &Set{}
}

var (
	statusResets = NewSet([]string{"f:spec"}, []string{"f:metadata", "f:deletionTimestamp"}, []string{"f:metadata", "f:ownerReferences"})
	mainResets   = NewSet([]string{"f:status"})
)

// TypeError says what in an applied configuration its kind does not have. Upstream: typed/validate.go and errors.go.
type TypeError []string

func (e TypeError) Error() string {
	if len(e) == 1 {
		return e[0]
	}
	return "errors:\n  " + strings.Join(e, "\n  ")
}

// Validate checks a configuration that is to be applied.
func (t *Type) Validate(tree any) error {
	if errs := t.validate(tree); len(errs) > 0 {
		return TypeError(errs)
	}
	return nil
}

// LastApplied is the annotation in which kubectl keeps what it applied without the server's help.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Upgrade forgives the conflicts over fields that the last client-side apply set, and that have not changed since: it was
// kubectl itself. Upstream: managedfields/internal/lastappliedmanager.go, allowedConflictsFromLastApplied.
func (c Conflicts) Upgrade(t *Type, live api.Object) Conflicts {
	text := live.GetAnnotations()[LastApplied]
	var applied any
	if text == "" || decode(text, &applied) != nil {
		return c
	}
	allowed := t.toFieldSet(applied)
	diff := t.compare(applied, Tree(live))
	allowed = allowed.Difference(diff.modified).Difference(diff.added).Difference(diff.removed)
	var left Conflicts
	for _, conflict := range c {
		if !allowed.Has(conflict.path...) {
			left = append(left, conflict)
		}
	}
	return left
}

// Text is a tree as JSON.
func Text(tree any) []byte {
	text, err := json.Marshal(tree)
	if err != nil {
		panic("managedfields: " + err.Error()) // it came from JSON
	}
	return text
}
