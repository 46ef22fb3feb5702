package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
)

// runGet is kubectl get: a GET for each name, a LIST for each kind.
// Upstream: kubectl pkg/cmd/get/get.go, GetOptions.Run.
func runGet(s *session) error {
	watches := s.flags.yes("watch") || s.flags.yes("watch-only")
	if !s.flags.yesOr("server-print", true) {
		return errors.New("--server-print=false is absent here: tables come from the server")
	}
	if raw := s.flags.text("raw"); raw != "" {
		return s.getRaw(raw)
	}
	if s.flags.yes("output-watch-events") && !watches {
		return errors.New("--output-watch-events option can only be used with --watch or --watch-only")
	}
	if !watches && len(s.args) == 0 && !s.flags.has("filename") {
		s.err.WriteString("You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported resources.\n\n")
		return errors.New("Required resource not specified.\n" +
			"Use \"kubectl explain <resource>\" for a detailed description of that resource (e.g. kubectl explain pods).\n" +
			"See 'kubectl get -h' for help and examples")
	}
	if err := knownOutput(s.flags.text("output")); err != nil {
		return err
	}
	wanted, err := s.wanted()
	if err != nil {
		return err
	}
	if watches {
		return s.watch(wanted)
	}
	human := s.flags.text("output") == "" || s.flags.text("output") == "wide"
	var failed aggregate
	var tables []*shownTable
	var trees []map[string]any
	named := 0
	for _, t := range wanted {
		var got any
		var err error
		if t.name != "" {
			named++
			got, err = s.read(&info{kind: t.kind, namespace: t.namespace, name: t.name}, human)
		} else {
			got, err = s.list(t.kind, s.in(t.kind), s.flags.text("selector"), s.flags.text("field-selector"), human)
		}
		switch got := got.(type) {
		case *metav1.Table:
			tables = append(tables, &shownTable{t.kind, got})
		case api.List:
			for _, obj := range got.GetItems() {
				trees = append(trees, s.shown(obj))
			}
		case api.Object:
			trees = append(trees, s.shown(got))
		}
		if err != nil && !(s.flags.yes("ignore-not-found") && apierrors.IsNotFound(err)) {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 && len(failed) == len(wanted) {
		return failed.orNil()
	}
	if human {
		err = s.printTables(tables)
		if err == nil && s.out.Len() == 0 && len(failed) == 0 && !s.flags.yes("ignore-not-found") {
			s.nothing(wanted)
		}
	} else {
		err = s.print(trees, named == 1 && len(wanted) == 1)
	}
	if err != nil {
		return err
	}
	return failed.orNil()
}

// nothing says that there is nothing to show.
func (s *session) nothing(wanted []wantedObject) {
	text := "No resources found"
	if slices.ContainsFunc(wanted, func(t wantedObject) bool { return t.kind.Namespaced }) && !s.flags.yes("all-namespaces") {
		text = fmt.Sprintf("No resources found in %s namespace.", s.namespace)
	}
	s.complain(text)
	s.p.Logger().Info(text)
}

// wantedObject is an object by name, or a kind.
type wantedObject struct {
	target
	namespace string
}

func (s *session) wanted() ([]wantedObject, error) {
	var out []wantedObject
	if s.flags.has("filename") {
		infos, err := s.infos(s.args)
		for _, i := range infos {
			out = append(out, wantedObject{target{i.kind, i.name}, i.namespace})
		}
		return out, err
	}
	all, err := s.targets(s.args)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if t.name != "" && s.flags.text("selector")+s.flags.text("field-selector") != "" {
			return nil, errors.New("name cannot be provided when a selector is specified")
		}
		if t.name != "" && s.flags.yes("all-namespaces") && t.kind.Namespaced {
			return nil, errors.New("a resource cannot be retrieved by name across all namespaces")
		}
		if t.name == "" && s.flags.text("subresource") != "" {
			return nil, errors.New("subresource cannot be used when bulk resources are specified")
		}
		out = append(out, wantedObject{t, s.in(t.kind)})
	}
	return out, nil
}

// shownTable is a table and what it is about.
type shownTable struct {
	kind  *api.Kind
	table *metav1.Table
}

// printTables prints tables as people read them: those of one kind as one.
// Upstream: cli-runtime pkg/printers/tableprinter.go, and get.go.
func (s *session) printTables(tables []*shownTable) error {
	var joined []*shownTable
	for _, t := range tables {
		if n := len(joined); n > 0 && joined[n-1].kind == t.kind {
			whole := *joined[n-1].table
			whole.Rows = append(slices.Clone(whole.Rows), t.table.Rows...)
			joined[n-1] = &shownTable{t.kind, &whole}
		} else {
			joined = append(joined, t)
		}
	}
	// Of several kinds that were found. Upstream: get.go, multipleGVKsRequested.
	withKind := s.flags.yes("show-kind") || len(joined) > 1
	joined = slices.DeleteFunc(joined, func(t *shownTable) bool { return len(t.table.Rows) == 0 })
	var b strings.Builder
	for n, t := range joined {
		rows := t.table.Rows
		if by := s.flags.text("sort-by"); by != "" && len(rows) > 1 {
			rows = slices.Clone(rows)
			if err := sortBy(s, rows, by, func(r metav1.TableRow) any { return anyTree(r.Object) }); err != nil {
				if _, fatal := err.(unsortable); !fatal && len(tables) == 1 {
					return nil // the printer of the one answer sorts it, and nobody asks whether it could: upstream's SortingPrinter in Run
				}
				return err
			}
		}
		if n > 0 {
			b.WriteByte('\n')
		}
		s.widths = nil // each kind has its own: w.SetRememberedWidths(nil)
		b.WriteString(s.widths.columns(s.cells(t, rows, withKind)))
	}
	if b.Len() > 0 {
		s.printf("%s", b.String())
	}
	return nil
}

func anyTree(obj api.Object) any { return tree(obj) }

// cells are a table's texts, its head first.
func (s *session) cells(t *shownTable, rows []metav1.TableRow, withKind bool) [][]string {
	wide := s.flags.text("output") == "wide"
	inNamespace := s.flags.yes("all-namespaces") && t.kind.Namespaced
	labelColumns := splitAll(s.flags.all("label-columns"))
	var head []string
	if inNamespace {
		head = append(head, "NAMESPACE")
	}
	for _, c := range t.table.ColumnDefinitions {
		if c.Priority == 0 || wide {
			head = append(head, strings.ToUpper(c.Name))
		}
	}
	for _, l := range labelColumns {
		head = append(head, strings.ToUpper(l[strings.LastIndexByte(l, '/')+1:]))
	}
	if s.flags.yes("show-labels") {
		head = append(head, "LABELS")
	}
	var out [][]string
	if !s.flags.yes("no-headers") {
		out = append(out, head)
	}
	for _, r := range rows {
		var row []string
		if inNamespace {
			row = append(row, r.Object.GetNamespace())
		}
		for i, c := range t.table.ColumnDefinitions {
			if c.Priority != 0 && !wide {
				continue
			}
			text := ""
			if r.Cells[i] != nil { // an object has no such field: the cell is blank
				text = fmt.Sprint(r.Cells[i])
			}
			if c.Format == "name" && withKind {
				text = resourceName(t.kind) + "/" + text
			}
			// A cell is one line. Upstream: tableprinter.go, printRows.
			if first, _, more := strings.Cut(text, "\n"); more {
				text = first + "..."
			}
			row = append(row, text)
		}
		for _, l := range labelColumns {
			row = append(row, r.Object.GetLabels()[l])
		}
		if s.flags.yes("show-labels") {
			row = append(row, labels.FormatLabels(r.Object.GetLabels()))
		}
		out = append(out, row)
	}
	return out
}

// splitAll are the values of a flag that may be given several times, and with commas.
func splitAll(values []string) (out []string) {
	for _, v := range values {
		if v != "" {
			out = append(out, strings.Split(v, ",")...)
		}
	}
	return out
}

// columns sets cells in columns, three blanks apart.
// Upstream: cli-runtime pkg/printers/tabwriter.go, GetNewTabWriter.
func columns(rows [][]string) string {
	return new(widths).columns(rows)
}

// widths are those of columns that are printed bit by bit: none becomes narrower.
// Upstream: github.com/liggitt/tabwriter, RememberWidths.
type widths []int

func (kept *widths) columns(rows [][]string) string {
	const minimum, padding = 6, 3
	widths := *kept
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, minimum)
			}
			widths[i] = max(widths[i], len([]rune(cell))+padding)
		}
	}
	*kept = widths
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-len([]rune(cell))))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
