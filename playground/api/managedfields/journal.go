package managedfields

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
)

// Journal is what is known of the owners of one object: those that were worked out, and the writes since then.
type Journal struct {
	managers Managers
	pending  []Write
	used     *Allowance // that it has a part of
	beyond   Allowance  // its part
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

// Allowance is how many writes the journals of a cluster may keep noted beyond the first few of each object. What an object
// was before each of them stays in memory until they are worked out.
type Allowance int

const (
	foldAfter = 32   // writes of an object that are only noted, whatever the others have
	most      = 8192 // writes beyond those, of all objects together: some megabytes
)

// Note adds a write. It costs nothing until somebody asks; only when many wait already is an object that is written again
// and again worked out now and then. used is what the journals that share it have noted beyond foldAfter.
func (j *Journal) Note(ts *Types, w Write, used *Allowance) {
	j.pending = append(j.pending, w)
	if len(j.pending) < foldAfter {
		return
	}
	if *used < most {
		*used++
		j.used, j.beyond = used, j.beyond+1
		return
	}
	j.Managers(ts)
}

// Set replaces the owners by those that an apply led to.
func (j *Journal) Set(ms Managers) {
	j.managers = ms
	j.Forget()
}

// Forget drops the writes that are only noted.
func (j *Journal) Forget() {
	if j.pending = nil; j.used != nil {
		*j.used -= j.beyond
		j.used, j.beyond = nil, 0
	}
}

// Snapshot is the journal as it is now: what is noted later is not in it.
func (j *Journal) Snapshot() Journal {
	return Journal{managers: j.managers, pending: slices.Clip(j.pending)}
}

// Managers works the owners out.
func (j *Journal) Managers(ts *Types) Managers {
	for _, w := range j.pending {
		kind := api.KindOf(w.New)
		old, now := orEmpty(w.Old, kind), w.New
		if w.AsSent != nil {
			now = w.AsSent()
		}
		old, now = differing(old, now)
		m := Manager{w.Manager, metav1.ManagedFieldsOperationUpdate, kind.GroupVersion().String(), w.Subresource}
		j.managers = j.managers.Update(ts.For(kind), Tree(old), Tree(now), m, ResetFields(kind, w.Subresource), w.At)
	}
	j.Forget()
	return j.managers
}

// differing returns two objects without the fields of the metadata, the spec and the status, or whatever their parts are,
// that both have alike: what one has to do to one to get the other is the same, and most writes change little.
func differing(a, b api.Object) (api.Object, api.Object) {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return a, b
	}
	x, y := shallow(a), shallow(b)
	for i := range x.NumField() {
		switch part := x.Type().Field(i); {
		case part.Type == typeMeta || !part.IsExported():
		case part.Type.Kind() == reflect.Struct && !marshalsItself(part.Type):
			leaveOutEqual(x.Field(i), y.Field(i))
		case reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()):
			x.Field(i).SetZero()
			y.Field(i).SetZero()
		}
	}
	return x.Addr().Interface().(api.Object), y.Addr().Interface().(api.Object)
}

var typeMeta = reflect.TypeFor[metav1.TypeMeta]()

// leaveOutEqual clears the fields that are the same in both.
func leaveOutEqual(x, y reflect.Value) {
	for i := range x.NumField() {
		if x.Type().Field(i).IsExported() && reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			x.Field(i).SetZero()
			y.Field(i).SetZero()
		}
	}
}

// shallow is a copy of an object that shares what is inside.
func shallow(obj api.Object) reflect.Value {
	out := reflect.New(reflect.TypeOf(obj).Elem()).Elem()
	out.Set(reflect.ValueOf(obj).Elem())
	return out
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
