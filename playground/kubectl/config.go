//go:build !js || cel

package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// config is a command of kubectl config. Upstream: kubectl pkg/cmd/config.
func config(run func(*session) error) func(*session) error {
	return func(s *session) error {
		if s.flags.has("kubeconfig") {
			return errors.New("config is about the kubeconfig of the machine on which it is typed: leave out --kubeconfig")
		}
		return run(s)
	}
}

// viewConfig is kubectl config view. Simplified: fields of -o kyaml are sorted. Upstream: kubectl pkg/cmd/config/view.go, ViewOptions.Run.
func viewConfig(s *session) error {
	if len(s.args) > 0 {
		return noArguments(s)
	}
	c := s.config()
	if s.flags.yes("flatten"); s.flags.yes("minify") {
		var err error
		if c, err = c.minified(); err != nil {
			return err
		}
	}
	switch s.flags.text("output") {
	case "json":
		s.printf("%s\n", orderedJSON(c.ordered(), ""))
		return nil
	case "", "yaml":
		s.printf("%s", yamlText(asTree(c.ordered())))
		return nil
	}
	return s.print([]map[string]any{asTree(c.ordered())}, true)
}

// currentContext is kubectl config current-context. Upstream: kubectl pkg/cmd/config/current_context.go, RunCurrentContext.
func currentContext(s *session) error {
	current := s.config().current
	if current == "" {
		return errors.New("current-context is not set")
	}
	s.printf("%s\n", current)
	return nil
}

// getContexts is kubectl config get-contexts. Upstream: kubectl pkg/cmd/config/get_contexts.go, GetContextsOptions.RunGetContexts.
func getContexts(s *session) error {
	config := s.config()
	contexts := config.sections["contexts"]
	var missing error
	names := sortedKeys(contexts)
	if len(s.args) > 0 {
		names = nil
		for _, name := range s.args {
			if contexts[name] != nil {
				names = append(names, name)
			} else if missing == nil {
				missing = fmt.Errorf("context %s not found", name)
			}
		}
	}
	slices.Sort(names)
	switch o := s.flags.text("output"); o {
	case "name":
		for _, name := range names {
			s.printf("%s\n", name)
		}
		return missing
	case "":
	default:
		return fmt.Errorf("output must be one of '' or 'name': %s", o)
	}
	var rows [][]string
	if !s.flags.yes("no-headers") {
		rows = append(rows, []string{"CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"})
	}
	for _, name := range names {
		mark, c := "", contexts[name]
		if name == config.current {
			mark = "*"
		}
		rows = append(rows, []string{mark, name, c["cluster"], c["user"], c["namespace"]})
	}
	s.printf("%s", s.widths.columns(rows))
	return missing
}

// getNames is kubectl config get-clusters and get-users.
// Upstream: kubectl pkg/cmd/config/get_clusters.go, runGetClusters, and get_users.go.
func getNames(section string) func(*session) error {
	return func(s *session) error {
		s.printf("NAME\n")
		for _, name := range sortedKeys(s.config().sections[section]) {
			s.printf("%s\n", name)
		}
		return nil
	}
}

// unexpected prints the help where a command of config does not take the arguments. Upstream: kubectl pkg/cmd/config/config.go, helpErrorf.
func (s *session) unexpected() error {
	s.printf("%s", help(s.name))
	return fmt.Errorf("Unexpected args: %v", s.args)
}

// setProperty is kubectl config set. Upstream: kubectl pkg/cmd/config/set.go, setOptions.run.
func setProperty(s *session) error {
	if len(s.args) != 2 {
		return s.unexpected()
	}
	property, value := s.args[0], s.args[1]
	switch {
	case value == "":
		return errors.New("you cannot use set to unset a property")
	case property == "":
		return errors.New("you must specify a property")
	}
	if err := s.config().set(property, value, false, s.flags.yes("set-raw-bytes")); err != nil {
		return err
	}
	s.printf("Property %q set.\n", property)
	return nil
}

// unsetProperty is kubectl config unset. Upstream: kubectl pkg/cmd/config/unset.go, unsetOptions.run.
func unsetProperty(s *session) error {
	if len(s.args) != 1 {
		return s.unexpected()
	}
	if s.args[0] == "" {
		return errors.New("you must specify a property")
	}
	if err := s.config().set(s.args[0], "", true, true); err != nil {
		return err
	}
	s.printf("Property %q unset.\n", s.args[0])
	return nil
}

// setEntry is kubectl config set-cluster and set-credentials: each flag that is given is a field.
// Upstream: kubectl pkg/cmd/config/set_cluster.go and set_credentials.go.
func setEntry(section, what string) func(*session) error {
	return func(s *session) error {
		if len(s.args) != 1 {
			return s.unexpected()
		}
		if s.args[0] == "" {
			return fmt.Errorf("you must specify a non-empty %s name", strings.ToLower(what))
		}
		name, c := s.args[0], s.config()
		if section == "users" && s.flags.text("token") != "" && s.flags.text("username")+s.flags.text("password") != "" {
			return errors.New("you cannot specify more than one authentication method at the same time: --token, --username/--password")
		}
		if c.sections[section][name] == nil {
			c.sections[section][name] = entry{}
		}
		for _, f := range []string{"server", "tls-server-name", "insecure-skip-tls-verify", "proxy-url", "token", "username", "password"} {
			if !s.flags.has(f) {
				continue
			}
			value := s.flags.text(f)
			if isBoolean(f) {
				if value = ""; s.flags.yes(f) {
					value = "true"
				}
			}
			c.change(section, name, f, value)
		}
		s.printf("%s %q set.\n", what, name)
		return nil
	}
}

// setContext is kubectl config set-context. Upstream: kubectl pkg/cmd/config/set_context.go, setContextOptions.run.
func setContext(s *session) error {
	if len(s.args) > 1 {
		return s.unexpected()
	}
	c, name, current := s.config(), "", s.flags.yes("current")
	if len(s.args) == 1 {
		name = s.args[0]
	}
	switch {
	case name == "" && !current:
		return errors.New("you must specify a non-empty context name or --current")
	case name != "" && current:
		return errors.New("you cannot specify both a context name and --current")
	case current && c.current == "":
		return errors.New("no current context is set")
	case current:
		name = c.current
	}
	did := "modified"
	if c.sections["contexts"][name] == nil {
		did = "created"
		c.sections["contexts"][name] = entry{}
	}
	for _, f := range []string{"cluster", "user", "namespace"} {
		if s.flags.has(f) {
			c.change("contexts", name, f, s.flags.text(f))
		}
	}
	s.printf("Context %q %s.\n", name, did)
	return nil
}

// useContext is kubectl config use-context. Upstream: kubectl pkg/cmd/config/use_context.go, useContextOptions.run.
func useContext(s *session) error {
	if len(s.args) != 1 {
		return s.unexpected()
	}
	name, c := s.args[0], s.config()
	switch {
	case name == "":
		return errors.New("empty context names are not allowed")
	case c.sections["contexts"][name] == nil:
		return fmt.Errorf("no context exists with the name: %q", name)
	}
	c.current = name
	s.printf("Switched to context %q.\n", name)
	return nil
}

// renameContext is kubectl config rename-context. Upstream: kubectl pkg/cmd/config/rename_context.go, RenameContextOptions.RunRenameContext.
func renameContext(s *session) error {
	if len(s.args) != 2 {
		return s.unexpected()
	}
	from, to, c := s.args[0], s.args[1], s.config()
	contexts := c.sections["contexts"]
	switch {
	case to == "":
		return errors.New("You must specify a new non-empty context name")
	case contexts[from] == nil:
		return fmt.Errorf("cannot rename the context %q, it's not in %s", from, kubeconfigPath)
	case contexts[to] != nil:
		return fmt.Errorf("cannot rename the context %q, the context %q already exists in %s", from, to, kubeconfigPath)
	}
	contexts[to] = contexts[from]
	delete(contexts, from)
	if c.current == from {
		c.current = to
	}
	s.printf("Context %q renamed to %q.\n", from, to)
	return nil
}

// deleteEntry is kubectl config delete-cluster, delete-context and delete-user.
// Upstream: kubectl pkg/cmd/config/delete_cluster.go, runDeleteCluster; delete_context.go and delete_user.go.
func deleteEntry(section, what string) func(*session) error {
	return func(s *session) error {
		if len(s.args) != 1 {
			if section == "users" {
				return fmt.Errorf("user to delete is required\nSee 'kubectl %s -h' for help and examples", s.name)
			}
			s.printf("%s", help(s.name))
			return nil
		}
		name, c := s.args[0], s.config()
		if c.sections[section][name] == nil {
			return fmt.Errorf("cannot delete %s %s, not in %s", what, name, kubeconfigPath)
		}
		if section == "contexts" && c.current == name {
			s.complain(`warning: this removed your active context, use "kubectl config use-context" to select a different one`)
		}
		delete(c.sections[section], name)
		s.printf("deleted %s %s from %s\n", what, name, kubeconfigPath)
		return nil
	}
}
