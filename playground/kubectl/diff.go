package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
)

// runDiff is kubectl diff: what apply would change. The server is asked for each object, and to make the change but not to
// store it; what diff -u says of the two, in folders LIVE and MERGED, is printed. A difference is an exit status of 1.
//
// Simplified: an object that keeps changing is not tried again.
// Upstream: kubectl pkg/cmd/diff/diff.go.
func runDiff(s *session) error {
	switch {
	case len(s.args) > 0:
		return fmt.Errorf("Unexpected args: %v\nSee 'kubectl diff -h' for help and examples", s.args)
	case len(s.flags.all("filename")) == 0:
		return errors.New("must specify one of -f and -k")
	case s.flags.yes("force-conflicts") && !s.flags.yes("server-side"):
		return errors.New("--force-conflicts only works with --server-side")
	}
	infos, err := s.manifests()
	if err != nil {
		return err
	}
	s.dryRun = "server"
	chance := s.p.Kernel().Rand("kubectl diff")
	folder := func(name string) string { return fmt.Sprintf("/tmp/%s-%d", name, uint32(chance.Uint64())) }
	live, merged := folder("LIVE"), folder("MERGED")
	var files []*diffFile
	failed := s.each(infos, func(i *info) error {
		f, err := s.compared(i)
		if err == nil {
			files = append(files, f)
		}
		return err
	})
	if failed != nil {
		return failed
	}
	slices.SortStableFunc(files, func(a, b *diffFile) int { return strings.Compare(a.name, b.name) })
	differ := false
	for n, f := range files {
		if n+1 < len(files) && files[n+1].name == f.name {
			continue // the later one has overwritten it
		}
		if hunks := unified(f.live, f.merged); hunks != "" {
			differ = true
			s.printf("diff -u -N %[1]s/%[3]s %[2]s/%[3]s\n--- %[1]s/%[3]s\t%[4]s\n+++ %[2]s/%[3]s\t%[4]s\n%[5]s", live, merged, f.name, f.written, hunks)
		}
	}
	if differ {
		return errExit
	}
	return nil
}

// diffFile is an object as it is and as it would be.
type diffFile struct{ name, live, merged, written string }

func (s *session) compared(i *info) (*diffFile, error) {
	_, err := s.read(i, false)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	merged, err := s.merged(i)
	if err != nil {
		return nil, err
	}
	if i.object != nil && i.object.GetDeletionTimestamp() != nil {
		s.warn(fmt.Sprintf("Detected changes to resource %s which is currently being deleted.", i.name))
	}
	var before map[string]any
	after := s.shown(merged)
	if i.object != nil {
		before = s.shown(i.object)
	}
	masked := i.kind.Version == "v1" && i.kind.Kind == "Secret" && !s.flags.yes("show-secrets")
	if masked {
		mask(before, after)
	}
	f := &diffFile{merged: yamlText(after), written: s.p.Time().Format("2006-01-02 15:04:05.000000000 -0700")}
	if before != nil {
		f.live = yamlText(before)
	} else if masked {
		f.live = "null\n" // as the real one writes a Secret that is not there
	}
	f.name = strings.Join([]string{i.kind.Version, i.kind.Kind, i.namespace, i.name}, ".")
	if i.kind.Group != "" {
		f.name = i.kind.Group + "." + f.name
	}
	return f, nil
}

// merged is an object as it would be.
func (s *session) merged(i *info) (api.Object, error) {
	manager := s.flags.or("field-manager", managerClientSide)
	r := i.request(client.Patch)
	r.ManagedFields = s.flags.yes("show-managed-fields")
	switch {
	case s.flags.yes("server-side"):
		r.PatchType, r.Patch, r.Force = types.ApplyPatchType, encode(i.tree), s.flags.yes("force-conflicts")
		r.FieldManager = s.flags.or("field-manager", managerServerSide)
		return s.object(r)
	case i.object == nil:
		r.Verb, r.Name, r.Body, r.FieldManager = client.Create, "", encode(i.tree), manager
		return s.object(r)
	}
	delete(inside(inside(i.tree, "metadata"), "annotations"), LastApplied)
	kind, patch, err := s.threeWayPatch(i, encode(i.tree))
	if err != nil {
		return nil, err
	}
	if string(patch) == "{}" {
		return i.object, nil
	}
	r.PatchType, r.Patch, r.FieldManager = kind, patch, manager
	after, err := s.object(r)
	if err != nil {
		err = &sourceError{fmt.Sprintf("applying patch:\n%s\nto:\n%s\nfor:", patch, i), i.source, err}
	}
	return after, err
}

// mask hides what a Secret contains, and not that it changes. Upstream: kubectl pkg/cmd/diff/diff.go, Masker.
func mask(before, after map[string]any) {
	from, _ := before["data"].(map[string]any)
	to, _ := after["data"].(map[string]any)
	for k, v := range from { // order: each has its own key
		from[k] = "***"
		if changed, ok := to[k]; ok && changed != v {
			from[k], to[k] = "*** (before)", "*** (after)"
		} else if ok {
			to[k] = "***"
		}
	}
	for k := range to { // order: each has its own key
		if _, ok := from[k]; !ok {
			to[k] = "***"
		}
	}
}
