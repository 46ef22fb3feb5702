package managedfields

import (
	"reflect"
	"strconv"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
)

// However long writes are only noted, the owners are those that each write would have led to at once, and what a journal
// has of the allowance it gives back.
func TestJournalsWaitAsLongAsTheyMay(t *testing.T) {
	types := NewTypes()
	config := func(n int) *corev1.ConfigMap {
		obj := &corev1.ConfigMap{Data: map[string]string{"n": strconv.Itoa(n), "k" + strconv.Itoa(n%7): strconv.Itoa(n / 2)}}
		obj.Name = "c"
		api.SetKind(obj)
		return obj
	}
	write := func(n int) Write {
		w := Write{New: config(n), Manager: "m" + strconv.Itoa(n%3), At: time.Unix(1700000000+int64(n), 0)}
		if n > 0 {
			w.Old = config(n - 1)
		}
		return w
	}
	const writes = 5 * foldAfter
	var atOnce, waits, full Journal
	var room, none Allowance = 0, most
	for n := range writes {
		atOnce.Note(types, write(n), new(Allowance))
		atOnce.Managers(types)
		waits.Note(types, write(n), &room)
		full.Note(types, write(n), &none)
	}
	if len(waits.pending) != writes || room != writes-foldAfter+1 {
		t.Errorf("%d writes wait, %d beyond the first %d", len(waits.pending), room, foldAfter)
	}
	if len(full.pending) >= foldAfter || none != most {
		t.Errorf("%d writes wait where there is no room", len(full.pending))
	}
	want := atOnce.Managers(types).Entries()
	for _, j := range []*Journal{&waits, &full} {
		if got := j.Managers(types).Entries(); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	if room != 0 {
		t.Errorf("worked out, it still has %d of the allowance", room)
	}
	for n := range writes {
		waits.Note(types, write(n), &room)
	}
	if waits.Forget(); room != 0 || len(waits.pending) != 0 {
		t.Errorf("forgotten, it still has %d of the allowance and %d writes", room, len(waits.pending))
	}
}
