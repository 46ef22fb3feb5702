package kubectl

import (
	"errors"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
)

// runReplace is kubectl replace: a PUT of the manifest, or, with --force, a
// DELETE and a POST.
// Upstream: kubectl pkg/cmd/replace/replace.go, ReplaceOptions.Run.
func runReplace(s *session) error {
	force := s.flags.yes("force")
	switch {
	case len(s.flags.all("filename")) == 0:
		return errors.New("must specify one of -f and -k")
	case s.flags.text("raw") != "":
		return s.rawRequest("PUT", s.flags.text("raw"))
	case s.flags.has("grace-period") && !force:
		return errors.New("--grace-period must have --force specified")
	case s.flags.has("timeout") && !force:
		return errors.New("--timeout must have --force specified")
	case force && s.dryRun != "":
		return errors.New("--dry-run can not be used when --force is set")
	}
	infos, err := s.manifests()
	if err != nil {
		return err
	}
	return s.each(infos, func(i *info) error {
		if force {
			return s.forceReplace(i)
		}
		if s.dryRun == "client" {
			return s.show(nil, i, "replaced")
		}
		if s.flags.yes("save-config") {
			setLastApplied(i.tree)
		}
		if err := s.versioned(i); err != nil {
			return &sourceError{"replacing", i.source, err}
		}
		r := i.request(client.Update)
		r.Body, r.Subresource, r.FieldManager, r.FieldValidation = encode(i.tree), s.flags.text("subresource"), s.flags.or("field-manager", "kubectl-replace"),
			s.fieldValidation()
		after, err := s.object(r)
		if err != nil {
			return &sourceError{"replacing", i.source, err}
		}
		return s.show(after, i, "replaced")
	})
}

// versioned gives a manifest without a resourceVersion that of the live object,
// so that replace overwrites whatever is there.
// Upstream: cli-runtime pkg/resource/helper.go, Helper.Replace.
func (s *session) versioned(i *info) error {
	if textAt(i.tree, "metadata", "resourceVersion") != "" {
		return nil
	}
	live, err := s.object(i.request(client.Get))
	switch {
	case apierrors.IsNotFound(err):
		return nil // the PUT says so
	case err != nil:
		return err
	}
	inside(i.tree, "metadata")["resourceVersion"] = live.GetResourceVersion()
	return nil
}

// forceReplace is upstream's replace.go, forceReplace.
func (s *session) forceReplace(i *info) error {
	policy, err := s.cascade()
	if err != nil {
		return err
	}
	grace := s.flags.number("grace-period", 0)
	uid, err := s.delete(i, metav1.DeleteOptions{PropagationPolicy: policy, GracePeriodSeconds: &grace})
	switch {
	case err == nil:
		s.sayDeleted(i, -1)
		timeout := s.flags.duration("timeout")
		if timeout == 0 {
			timeout = 168 * time.Hour
		}
		if err := s.untilDeleted(i, uid, s.p.Now()+timeout); err != nil {
			return err
		}
	case !apierrors.IsNotFound(err):
		return err
	}
	made, err := s.create(i, s.flags.or("field-manager", "kubectl-replace"))
	if err != nil {
		return err
	}
	return s.show(made, i, "replaced")
}
