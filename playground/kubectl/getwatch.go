package kubectl

import (
	"errors"
	"fmt"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
)

// watch is kubectl get --watch: it prints what there is, and then each change as it comes, until it is interrupted, or the
// server ends the watch.
// Upstream: kubectl pkg/cmd/get/get.go, GetOptions.watch.
func (s *session) watch(wanted []wantedObject) error {
	switch {
	case len(wanted) == 0:
		return errors.New("you must provide one or more resources by argument or filename (--watch)")
	case s.multipleTypes(s.args):
		return errors.New("you may only specify a single resource type")
	}
	if s.flags.has("sort-by") && s.flags.yes("watch") {
		s.complain("warning: --watch requested, --sort-by will be ignored for watch events received")
	} else if s.flags.has("sort-by") {
		s.complain("warning: --watch-only requested, --sort-by will be ignored")
	}
	t := wanted[0]
	human := s.flags.text("output") == "" || s.flags.text("output") == "wide"
	i := &info{kind: t.kind, namespace: t.namespace, name: t.name}
	r := i.request(client.Watch)
	r.Name, r.Table, r.ManagedFields = "", human, s.flags.yes("show-managed-fields")
	r.List = metav1.ListOptions{LabelSelector: s.flags.text("selector"), FieldSelector: s.flags.text("field-selector"), Watch: true}
	var got client.Result
	var err error
	if t.name == "" {
		got, err = s.list(t.kind, t.namespace, r.List.LabelSelector, r.List.FieldSelector, human)
	} else {
		r.List.FieldSelector, r.List.ResourceVersion = "metadata.name="+t.name, "0"
		got, err = s.read(i, human)
	}
	switch {
	case apierrors.IsNotFound(err) && s.flags.yes("ignore-not-found"):
		return nil
	case err != nil:
		return err
	case len(wanted) > 1:
		return fmt.Errorf("watch is only supported on individual resources and resource collections - more than 1 resource was found")
	}
	var there []client.Event
	switch got := got.(type) {
	case *metav1.Table:
		if there = []client.Event{{Type: client.Added, Table: got}}; t.name == "" {
			r.List.ResourceVersion = got.ResourceVersion
		}
	case api.List:
		for _, obj := range got.GetItems() {
			there = append(there, client.Event{Type: client.Added, Object: obj})
		}
		r.List.ResourceVersion = got.GetListMeta().GetResourceVersion()
	case api.Object:
		there = []client.Event{{Type: client.Added, Object: got}}
	}
	p := &watchPrinter{session: s, kind: t.kind}
	if !s.flags.yes("watch-only") {
		if err := p.print(there...); err != nil {
			return err
		}
	}
	stream, err := s.transport.Watch(s.p, r)
	if err != nil {
		return err
	}
	defer stream.Stop()
	defer s.goesOn(stream.Stop)()
	// The watch of one object begins with the object as it is, which was printed, or was not to be.
	for skip := t.name != ""; ; skip = false {
		e, ok := stream.Next(s.p)
		if !ok || e.Type == client.Error {
			return nil
		}
		if skip {
			continue
		}
		if err := p.print(e); err != nil {
			return err
		}
		s.hear()
	}
}

// watchPrinter prints objects as they come.
type watchPrinter struct {
	*session
	kind    *api.Kind
	printed int
}

// print prints what came at once.
func (p *watchPrinter) print(events ...client.Event) error {
	withEvents := p.flags.yes("output-watch-events")
	var trees []map[string]any
	for _, e := range events {
		if e.Table != nil {
			if err := p.rows(e, withEvents); err != nil {
				return err
			}
			continue
		}
		trees = append(trees, p.shown(e.Object))
	}
	o := p.flags.text("output")
	if strings.HasPrefix(o, "custom-columns=") && len(trees) > 0 {
		err := p.session.print(trees, false)
		p.flags["no-headers"] = []string{"true"}
		return err
	}
	for n, t := range trees {
		if p.printed++; o == "yaml" && p.printed > 1 {
			p.printf("---\n")
		}
		switch {
		case withEvents && o == "json":
			p.printf("{\"type\":%q,\"object\":%s}\n", events[n].Type, encode(t))
		case withEvents && o == "yaml":
			p.printf("%s", yamlText(map[string]any{"type": string(events[n].Type), "object": t}))
		case withEvents && o == "kyaml":
			p.printf("---\n{\n  type: %q,\n  object: %s,\n}\n", events[n].Type, kyamlValue(t, 1))
		default:
			if err := p.session.print([]map[string]any{t}, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// rows prints a table; its head stands above the first rows only.
func (p *watchPrinter) rows(e client.Event, withEvents bool) error {
	rows := e.Table.Rows
	if len(rows) == 0 {
		return nil
	}
	if by := p.flags.text("sort-by"); by != "" {
		if err := sortBy(p.session, rows, by, func(r metav1.TableRow) any { return anyTree(r.Object) }); err != nil {
			return err
		}
	}
	cells := p.cells(&shownTable{p.kind, e.Table}, rows, p.flags.yes("show-kind"))
	if withEvents {
		for n := range cells {
			text := "EVENT"
			if n > 0 || len(cells) == len(rows) {
				text = fmt.Sprintf("%-8s", e.Type)
			}
			cells[n] = append([]string{text}, cells[n]...)
		}
	}
	p.printf("%s", p.widths.columns(cells))
	p.flags["no-headers"] = []string{"true"}
	return nil
}
