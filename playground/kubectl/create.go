package kubectl

import (
	"errors"
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// Create is kubectl create -f -.
func (c Command) Create(p *sim.Proc, manifest []byte) Result {
	return c.Run(p, []string{"create", "-f", "-"}, manifest)
}

// runCreate is kubectl create -f. Upstream: kubectl pkg/cmd/create/create.go, RunCreate.
func runCreate(s *session) error {
	if len(s.flags.all("filename")) == 0 {
		if len(s.args) > 0 {
			return fmt.Errorf("Unexpected args: %v\nSee 'kubectl create -h' for help and examples", s.args)
		}
		return errors.New("must specify one of -f and -k")
	}
	if path := s.flags.text("raw"); path != "" {
		return s.rawRequest("POST", path)
	}
	infos, err := s.manifests()
	if err != nil {
		return err
	}
	return s.each(infos, func(i *info) error {
		if s.flags.yes("save-config") {
			setLastApplied(i.tree)
		}
		made, err := s.create(i, s.flags.or("field-manager", "kubectl-create"))
		if err != nil {
			return &sourceError{"creating", i.source, err}
		}
		return s.show(made, i, "created")
	})
}

// create posts a manifest.
func (s *session) create(i *info, manager string) (api.Object, error) {
	if s.dryRun == "client" {
		return nil, nil
	}
	r := i.request(client.Create)
	r.Name, r.Body, r.FieldManager, r.FieldValidation = "", encode(i.tree), manager, s.fieldValidation()
	made, err := s.object(r)
	if err == nil {
		i.name = made.GetName()
	}
	return made, err
}

// fieldValidation is what --validate asks of the server.
func (s *session) fieldValidation() string {
	switch s.flags.or("validate", "strict") {
	case "warn":
		return "Warn"
	case "false", "ignore":
		return "Ignore"
	}
	return "Strict"
}

// show says what was done to an object, or prints it as -o asks.
func (s *session) show(obj api.Object, i *info, did string) error {
	switch o := s.flags.text("output"); {
	case o == "" || o == "name":
		s.done(i.said(), did)
		return nil
	case obj == nil:
		s.typed = i.typed
		return s.print([]map[string]any{i.tree}, true)
	default:
		s.typed = i.typed && s.name != "run" && s.name != "expose" // which read what the server answers as a tree
		return s.print([]map[string]any{s.shown(obj)}, true)
	}
}

// nameNamespace has an object that a command has made up say its namespace. With --dry-run=client it does so only if it was asked to.
func (s *session) nameNamespace(made *info) {
	if s.dryRun != "client" || s.enforced {
		inside(made.tree, "metadata")["namespace"] = made.namespace
	}
}

// generate creates an object that a command has made up. noun is what errors
// call it: kubectl says "failed to create deployment", and not of what kind the
// error is.
// Upstream: kubectl pkg/cmd/create/create_deployment.go, and its like.
func (s *session) generate(obj api.Object, noun string) error {
	show, err := s.generated(obj, noun)
	if err != nil {
		return err
	}
	return show()
}

// generated is generate, which leaves it to the caller to show what was made.
func (s *session) generated(obj api.Object, noun string) (show func() error, err error) {
	api.SetKind(obj)
	i := &info{kind: api.KindOf(obj), name: obj.GetName(), tree: tree(obj), typed: true}
	if i.kind.Namespaced {
		i.namespace = s.namespace
		s.nameNamespace(i)
	}
	if s.flags.yes("save-config") {
		setLastApplied(i.tree)
	}
	made, err := s.create(i, s.flags.or("field-manager", "kubectl-create"))
	if err != nil {
		if apierrors.ReasonForError(err) == "" || noun == "" {
			return nil, err
		}
		if noun != "secret" { // which has no colon
			noun += ":"
		}
		return nil, fmt.Errorf("failed to create %s %w", noun, plain{err})
	}
	return func() error { return s.show(made, i, "created") }, nil
}

// plain is an error that is only its text.
type plain struct{ error }

// oneName is the name that a generator takes.
// Upstream: kubectl pkg/cmd/create/create.go, NameFromCommandArgs.
func (s *session) oneName() (string, error) {
	switch len(s.args) {
	case 1:
		return s.args[0], nil
	case 0:
		return "", fmt.Errorf("exactly one NAME is required, got 0\nSee 'kubectl %s -h' for help and examples", s.name)
	}
	return "", fmt.Errorf("exactly one NAME is required, got %d\nSee 'kubectl %s -h' for help and examples", len(s.args), s.name)
}
