package kubectl

import (
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

func tableOf(resource string, columns []string, rows ...[]any) *shownTable {
	t := &metav1.Table{}
	for _, name := range columns {
		t.ColumnDefinitions = append(t.ColumnDefinitions, metav1.TableColumnDefinition{Name: name})
	}
	for _, cells := range rows {
		t.Rows = append(t.Rows, metav1.TableRow{Cells: cells})
	}
	return &shownTable{&api.Kind{Resource: resource}, t}
}

// TestTables is how the tables of several kinds look: each has its own widths, and a cell without a value is blank.
func TestTables(t *testing.T) {
	pods := tableOf("pods", []string{"Name", "Ready"}, []any{"web", "1/1"})
	more := tableOf("", []string{"Name", "Ready"}, []any{"longer-than-web", "1/1"})
	more.kind = pods.kind // one table with the one before
	k := sim.New(1, time.Time{}, trace.NewRecorder(trace.All))
	s := &session{invocation: &invocation{flags: values{}}}
	k.Start("kubectl").Go("get", func(p *sim.Proc) {
		s.p = p
		err := s.printTables([]*shownTable{
			tableOf("volumesnapshots", []string{"Name", "ReadyToUse", "SourcePVC", "Age"},
				[]any{"a-snapshot-with-a-name", nil, "orders", "0s"}, []any{"b", true, nil, nil}),
			pods, more})
		if err != nil {
			t.Error(err)
		}
	})
	k.RunUntil(time.Second)
	want := "NAME                     READYTOUSE   SOURCEPVC   AGE\n" +
		"a-snapshot-with-a-name                orders      0s\n" +
		"b                        true                     \n" +
		"\nNAME              READY\nweb               1/1\nlonger-than-web   1/1\n"
	if got := s.out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
