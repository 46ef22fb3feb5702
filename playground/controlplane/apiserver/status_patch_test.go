package apiserver

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/managedfields"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/strategicpatch"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/apiserver/defaults"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/transport"
	"kubewalk/playground/sim"
)

// scribble fills a value with few different things, so that two scribbles have much in common: also with what no status
// should hold.
func scribble(v reflect.Value, r *sim.Rand, odd bool) {
	switch at := v.Addr().Interface().(type) {
	case *metav1.Time:
		if r.IntN(3) > 0 {
			*at = metav1.NewTime(time.Unix(int64(1700000000+r.IntN(3)), 0).UTC())
			if odd && r.IntN(8) == 0 {
				at.Time = at.Time.Add(time.Millisecond)
			}
			if odd && r.IntN(8) == 0 {
				at.Time = at.Time.In(time.FixedZone("x", 3600))
			}
		}
		return
	case *resource.Quantity:
		*at = resource.MustParse([]string{"1", "250m", "1Gi", "1000m", "0.5"}[r.IntN(5)])
		return
	case *intstr.IntOrString:
		*at = intstr.FromInt32(int32(r.IntN(3)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		words := []string{"", "a", "b", "c", "<&>", "\u2028", "\xff\xfe", "$patch"}
		if !odd {
			words = words[:6]
		}
		v.SetString(words[r.IntN(len(words))])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.IntN(3)))
	case reflect.Pointer:
		if r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			scribble(v.Elem(), r, odd)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if r.IntN(3) > 0 && v.Type().Field(i).IsExported() {
				scribble(v.Field(i), r, odd)
			}
		}
	case reflect.Slice:
		n := r.IntN(4)
		if n == 0 && (!odd || r.IntN(2) == 0) {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			scribble(v.Index(i), r, odd)
			if key := v.Index(i).Kind() == reflect.Struct && !odd; key { // names that tell the elements apart
				if f := v.Index(i).Field(0); f.Kind() == reflect.String {
					f.SetString(string(rune('a' + (i+r.IntN(2)*n)%5 + 5*i)))
				}
			}
		}
	case reflect.Map:
		for range r.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			scribble(key, r, odd)
			scribble(value, r, odd)
			if v.IsNil() {
				v.Set(reflect.MakeMap(v.Type()))
			}
			v.SetMapIndex(key, value)
		}
	}
}

// statusPatch patches a status twice, as objects and as JSON, and compares. It says whether the objects' way was open.
func statusPatch(t *testing.T, obj api.Object, seed uint64, odd bool) bool {
	t.Helper()
	r := sim.NewRand(seed)
	obj.SetName("x")
	obj.SetUID("uid")
	api.SetKind(obj)
	statusOf := func(o api.Object) reflect.Value { return reflect.ValueOf(o).Elem().FieldByName("Status") }
	scribble(statusOf(obj), r, false)
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	if obj, err = api.DecodeStrict(text, nil); err != nil { // what is stored comes from JSON
		t.Fatal(err)
	}
	defaults.Set(obj)
	next := obj.DeepCopyObject()
	other := reflect.New(statusOf(obj).Type())
	scribble(other.Elem(), r, odd)
	if r.IntN(4) == 0 {
		flip(statusOf(next), r)
	} else {
		for i := range other.Elem().NumField() {
			if r.IntN(2) == 0 {
				statusOf(next).Field(i).Set(other.Elem().Field(i))
			}
		}
	}
	uid := types.UID("uid")
	if r.IntN(2) == 0 {
		uid = ""
	}
	was, err := json.Marshal(obj)
	if err != nil {
		t.Skip(err)
	}
	is, err := json.Marshal(next)
	if err != nil {
		t.Skip(err)
	}
	differs, whole := difference(obj, next) // before NewStatus, which has next share what is the same
	patch := strategicpatch.NewStatus(obj, statusOf(next).Addr().Interface(), uid)
	if patch == nil {
		if string(was) != string(is) && differs {
			t.Errorf("seed %d: no patch\nfrom %s\nto   %s", seed, was, is)
		}
		return false
	}
	got, direct := applyStatus(&client.Request{Status: patch, Subresource: "status"}, obj)
	if !direct {
		return false
	}
	c := &call{Call: &transport.Call{Request: &client.Request{PatchType: types.StrategicMergePatchType, Patch: patch.Text(), Subresource: "status"}}}
	want, err := applyPatchToJSON(c, nil, api.KindOf(obj).GroupVersionKind, obj)
	if err != nil {
		t.Fatalf("seed %d: JSON refuses the patch: %v\nfrom  %s\npatch %s", seed, err, was, patch.Text())
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if differs { // nothing of the difference is lost
		c.Call.Request.Patch = whole
		all, err := applyPatchToJSON(c, nil, api.KindOf(obj).GroupVersionKind, obj)
		if err != nil {
			t.Fatalf("seed %d: JSON refuses the whole patch: %v\n%s", seed, err, whole)
		}
		if d, _ := json.Marshal(all); string(d) != string(b) {
			t.Fatalf("seed %d:\nfrom  %s\nto    %s\npatch %s\nwhole %s", seed, was, is, patch.Text(), whole)
		}
	}
	if string(a) != string(b) || !reflect.DeepEqual(statusOf(got).Interface(), statusOf(want).Interface()) {
		t.Fatalf("seed %d:\nfrom  %s\npatch %s\nJSON  %s\nhere  %s", seed, was, patch.Text(), b, a)
	}
	if after, err := json.Marshal(obj); err != nil || string(after) != string(was) {
		t.Fatalf("seed %d: the patched object was changed itself", seed)
	}
	if _, again := patch.Apply(obj.DeepCopyObject()); again {
		t.Fatal("a patch of one object was carried out on another without JSON")
	}
	return true
}

// flip changes one thing, as small as there is, if it finds one.
func flip(v reflect.Value, r *sim.Rand) bool {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
		return true
	case reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 1)
		return true
	case reflect.String:
		v.SetString(v.String() + "x")
		return true
	case reflect.Pointer:
		return !v.IsNil() && flip(v.Elem(), r)
	case reflect.Slice:
		return v.Len() > 0 && flip(v.Index(r.IntN(v.Len())), r)
	case reflect.Struct:
		if _, is := v.Addr().Interface().(*metav1.Time); is || v.NumField() == 0 {
			return false
		}
		first := r.IntN(v.NumField())
		for i := range v.NumField() {
			if f := v.Field((first + i) % v.NumField()); f.CanSet() && flip(f, r) {
				return true
			}
		}
	}
	return false
}

// difference is the patch for all that JSON has of a difference, and whether a patch can express one.
func difference(a, b api.Object) (is bool, patch []byte) {
	x, err := api.Encode(a)
	y, err2 := api.Encode(b)
	if err != nil || err2 != nil {
		return false, nil
	}
	patch, err = strategicpatch.CreateTwoWayMergePatch(x, y, reflect.TypeOf(a))
	return err == nil && string(patch) != "{}" && !strings.Contains(string(y), `\ufffd`), patch
}

// FuzzStatusPatch compares a status that is replaced in memory with one that is patched as JSON.
func FuzzStatusPatch(f *testing.F) {
	for seed := range uint64(400) {
		f.Add(seed, seed%4 == 3)
	}
	f.Fuzz(func(t *testing.T, seed uint64, odd bool) {
		statusPatch(t, &corev1.Pod{}, seed, odd)
		statusPatch(t, &corev1.Node{}, seed, odd)
	})
}

// The comparison of FuzzStatusPatch is worth something only if statuses that can be patched in memory are.
func TestStatusesArePatchedInMemory(t *testing.T) {
	direct := 0
	for seed := range uint64(200) {
		if statusPatch(t, &corev1.Pod{}, seed, false) {
			direct++
		}
	}
	if direct < 50 {
		t.Errorf("%d of 200", direct)
	}
}

// Owners are worked out of what differs between two objects: the same as of the whole objects.
func TestOwnersOfWhatDiffers(t *testing.T) {
	types := managedfields.NewTypes()
	m := managedfields.Manager{Name: "m", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1"}
	for seed := range uint64(200) {
		r := sim.NewRand(seed)
		pod := func(from *corev1.Pod) *corev1.Pod {
			out, other := &corev1.Pod{}, &corev1.Pod{}
			if from != nil {
				out = from.DeepCopy()
			}
			scribble(reflect.ValueOf(other).Elem(), r, false)
			for _, part := range []func(*corev1.Pod) any{
				func(p *corev1.Pod) any { return &p.ObjectMeta }, func(p *corev1.Pod) any { return &p.Spec }, func(p *corev1.Pod) any { return &p.Status },
			} {
				to, of := reflect.ValueOf(part(out)).Elem(), reflect.ValueOf(part(other)).Elem()
				for i := range to.NumField() {
					if r.IntN(3) == 0 {
						to.Field(i).Set(of.Field(i))
					}
				}
			}
			out.ManagedFields = nil
			api.SetKind(out)
			return out
		}
		var journal managedfields.Journal
		var want managedfields.Managers
		old, at := pod(nil), time.Unix(1700000000, 0)
		for range 3 {
			next := pod(old)
			journal.Note(types, managedfields.Write{Old: old, New: next, Manager: "m", At: at}, new(managedfields.Allowance))
			want = want.Update(types.Of(reflect.TypeOf(old)), managedfields.Tree(old), managedfields.Tree(next), m,
				managedfields.ResetFields(api.KindOf(next), ""), at)
			old, at = next, at.Add(time.Second)
		}
		got := journal.Managers(types)
		if !reflect.DeepEqual(got.Entries(), want.Entries()) {
			t.Fatalf("seed %d:\ngot  %+v\nwant %+v", seed, got.Entries(), want.Entries())
		}
	}
}
