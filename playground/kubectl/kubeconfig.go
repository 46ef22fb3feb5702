package kubectl

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/controlplane/client"
)

// kubeconfig is the file that says which clusters there are, who one is there, and which of both a context is. It is on the
// terminal's machine, and begins as the one that `kubewalk cluster` writes.
// Upstream: client-go tools/clientcmd/api/types.go, Config.
type kubeconfig struct {
	current  string             // context
	sections map[string]section // "clusters", "users" and "contexts"
}

// section has entries by name.
type section map[string]entry

// entry has the values of fields, as text; a boolean's is "true".
type entry map[string]string

// kubeconfigPath is where the file is.
const kubeconfigPath = "/home/user/.kube/config"

// contextName is what the cluster, its user and the context of both are called, as on a port.
const contextName = "kubewalk"

// adminToken is the token of who made the cluster, whom it lets do everything.
const adminToken = "kubewalk-admin"

// configSection is a kind of entries.
type configSection struct {
	name, one string
	fields    []string
	always    int // so many of the fields, from the first on, are shown when they are empty, too
}

// configSections are all, in the order of upstream's type.
// Absent: extensions, credentials by a program, and impersonation by a user's entry.
// Upstream: client-go tools/clientcmd/api/v1/types.go.
var configSections = []configSection{
	{"clusters", "cluster", []string{"server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority", "certificate-authority-data", "proxy-url",
		"disable-compression"}, 1},
	{"users", "user", []string{"client-certificate", "client-certificate-data", "client-key", "client-key-data", "token", "tokenFile", "username", "password"}, 0},
	{"contexts", "context", []string{"cluster", "user", "namespace"}, 2},
}

// isBoolean and isBytes tell what a field is; every other one is text.
func isBoolean(field string) bool {
	return field == "insecure-skip-tls-verify" || field == "disable-compression"
}

func isBytes(field string) bool { return strings.HasSuffix(field, "-data") }

// hidden is what config view shows of a value. Upstream: client-go tools/clientcmd/api/helpers.go, ShortenConfig and RedactSecrets.
func hidden(field, value string) string {
	switch {
	case value == "":
	case isBytes(field):
		return "DATA+OMITTED"
	case field == "token" || field == "password":
		return "REDACTED"
	}
	return value
}

func newKubeconfig() *kubeconfig {
	return &kubeconfig{current: contextName, sections: map[string]section{
		"clusters": {contextName: {"server": server, "certificate-authority-data": "kubewalk"}},
		"users":    {contextName: {"token": adminToken}},
		"contexts": {contextName: {"cluster": contextName, "user": contextName}},
	}}
}

// config is the terminal's; a kubectl that is in none has one of its own.
func (s *session) config() *kubeconfig {
	if s.terminal == nil {
		return newKubeconfig()
	}
	if s.terminal.config == nil {
		s.terminal.config = newKubeconfig()
	}
	return s.terminal.config
}

// connect makes the session one with the cluster, as the user and in the namespace of the context that is meant.
//
// Simplified: there is one cluster; who has no token that it knows is nobody.
// Upstream: client-go tools/clientcmd/client_config.go, DirectClientConfig.ClientConfig and Namespace.
func (s *session) connect() error {
	if s.terminal == nil || strings.HasPrefix(s.name, "config ") || s.flags.has("kubeconfig") {
		return nil
	}
	config := s.config()
	name := config.current
	if s.flags.has("context") {
		name = s.flags.text("context")
	}
	context, ok := config.sections["contexts"][name]
	switch {
	case !ok && name != "":
		return configurationError("context was not found for specified context: " + name)
	}
	if namespace := context["namespace"]; namespace != "" && !s.enforced {
		s.namespace = namespace
	}
	if offline[s.name] {
		return nil
	}
	if address := cmp.Or(strings.TrimSuffix(config.sections["clusters"][context["cluster"]]["server"], "/"), defaultServer); address != server {
		return fmt.Errorf("Get \"%s/api\": dial tcp: %w", address, client.ErrConnectionRefused)
	}
	return s.authenticate(config.sections["users"][context["user"]])
}

// configurationError is what is wrong with the kubeconfig.
// Upstream: client-go tools/clientcmd/validation.go, errConfigurationInvalid; kubectl pkg/cmd/util/helpers.go, StandardErrorMessage.
type configurationError string

func (e configurationError) Error() string { return "Error in configuration: " + string(e) }

// offline are the commands that ask no server.
var offline = map[string]bool{"options": true, "help": true, "completion": true}

// defaultServer is where the server is looked for when no cluster says so.
// Upstream: client-go tools/clientcmd/client_config.go, getDefaultCluster.
const defaultServer = "http://localhost:8080"

// authenticate has the session's requests be those of a user.
func (s *session) authenticate(user entry) error {
	token := user["token"]
	if token != adminToken && s.flags.has("as") {
		return errors.New("--as is absent here for a user that has not made the cluster")
	}
	switch token {
	case adminToken:
		return nil
	case "":
		if len(user) > 0 {
			return errUnauthorized
		}
		s.transport = client.Impersonating(s.transport, &authenticationv1.UserInfo{Username: "system:anonymous", Groups: []string{"system:unauthenticated"}})
		return nil
	default:
		review, err := reviewed(s, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}})
		if err != nil {
			return err
		}
		if !review.Status.Authenticated {
			return errUnauthorized
		}
		s.transport = client.Impersonating(s.transport, &review.Status.User)
		return nil
	}
}

// errUnauthorized is upstream's, for a server that does not know who asks (kubectl pkg/cmd/util/helpers.go, StandardErrorMessage).
var errUnauthorized = errors.New("You must be logged in to the server (Unauthorized)")

// minified has only what a context needs. Upstream: client-go tools/clientcmd/api/helpers.go, MinifyConfig.
func (c *kubeconfig) minified() (*kubeconfig, error) {
	if c.current == "" {
		return nil, errors.New("current-context must exist in order to minify")
	}
	context, ok := c.sections["contexts"][c.current]
	if !ok {
		return nil, fmt.Errorf("cannot locate context %v", c.current)
	}
	out := &kubeconfig{current: c.current, sections: map[string]section{"contexts": {c.current: context}}}
	for _, s := range []struct{ section, one string }{{"clusters", "cluster"}, {"users", "user"}} {
		if name := context[s.one]; name != "" {
			found, ok := c.sections[s.section][name]
			if !ok && s.section == "clusters" {
				return nil, fmt.Errorf("cannot locate cluster %v", name)
			} else if !ok {
				return nil, fmt.Errorf("cannot locate user %v", name)
			}
			out.sections[s.section] = section{name: found}
		}
	}
	return out, nil
}

// field is a name and a value, in order.
type field struct {
	name  string
	value any // text, a boolean, a list of []field, or []field
}

// ordered is the file's contents, in the order of upstream's types, without what is secret.
func (c *kubeconfig) ordered() []field {
	out := []field{{"kind", "Config"}, {"apiVersion", "v1"}}
	for _, s := range configSections {
		var list [][]field
		for _, name := range sortedKeys(c.sections[s.name]) {
			var inner []field
			for n, f := range s.fields {
				switch value := c.sections[s.name][name][f]; {
				case value == "" && n >= s.always:
				case isBoolean(f):
					inner = append(inner, field{f, value == "true"})
				default:
					inner = append(inner, field{f, hidden(f, value)})
				}
			}
			list = append(list, []field{{"name", name}, {s.one, inner}})
		}
		out = append(out, field{s.name, list})
	}
	return append(out, field{"current-context", c.current})
}

// asTree is fields as a map.
func asTree(fields []field) map[string]any {
	out := map[string]any{}
	for _, f := range fields {
		switch v := f.value.(type) {
		case []field:
			out[f.name] = asTree(v)
		case [][]field:
			var list []any
			for _, one := range v {
				list = append(list, asTree(one))
			}
			out[f.name] = list
		default:
			out[f.name] = v
		}
	}
	return out
}

// orderedJSON is fields as JSON, in their order.
func orderedJSON(fields []field, indent string) string {
	if len(fields) == 0 {
		return "{}"
	}
	inner := indent + "    "
	var lines []string
	for _, f := range fields {
		text := ""
		switch v := f.value.(type) {
		case []field:
			text = orderedJSON(v, inner)
		case [][]field:
			if text = "null"; v != nil {
				var items []string
				for _, one := range v {
					items = append(items, inner+"    "+orderedJSON(one, inner+"    "))
				}
				text = "[\n" + strings.Join(items, ",\n") + "\n" + inner + "]"
			}
		default:
			text = string(encode(v))
		}
		lines = append(lines, inner+strconv.Quote(f.name)+": "+text)
	}
	return "{\n" + strings.Join(lines, ",\n") + "\n" + indent + "}"
}

// set gives a property a value: "contexts.kubewalk.namespace". With unset it has none any more.
// Upstream: kubectl pkg/cmd/config/navigation_step_parser.go, newNavigationSteps, and set.go, modifyConfig.
func (c *kubeconfig) set(property, value string, unset, rawBytes bool) error {
	first, rest, more := strings.Cut(property, ".")
	if first == "current-context" && !more {
		c.current = value
		return nil
	}
	at := slices.IndexFunc(configSections, func(s configSection) bool { return s.name == first })
	switch {
	case first == "current-context":
		return fmt.Errorf("unable to parse one or more field values of %v", property)
	case at < 0:
		return fmt.Errorf("unable to parse %v after [] at api.Config", property)
	case !more && unset:
		c.sections[first] = section{}
		return nil
	case !more:
		return fmt.Errorf("can't set a map to a value: map[]")
	}
	kind := configSections[at]
	// A name may have dots in it: it ends before the first word that is a field.
	words := strings.Split(rest, ".")
	end := slices.IndexFunc(words[1:], func(word string) bool { return slices.Contains(kind.fields, word) }) + 1
	if end == 0 {
		end = len(words)
	}
	name := strings.Join(words[:end], ".")
	if end == len(words) {
		if !unset {
			return fmt.Errorf("can't set a map to a value: map[]")
		}
		delete(c.sections[first], name)
		return nil
	}
	if end+1 < len(words) {
		return fmt.Errorf("unable to parse one or more field values of %v", property)
	}
	f := words[end]
	_, there := c.sections[first][name]
	switch {
	case unset && !there:
		return fmt.Errorf("current map key `%v` is invalid", name)
	case unset:
		value = ""
	case isBoolean(f):
		is, err := strconv.ParseBool(value)
		if err != nil {
			return err
		}
		if value = "true"; !is {
			value = ""
		}
	case isBytes(f) && !rawBytes:
		bytes, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return fmt.Errorf("error decoding input value: %v", err)
		}
		value = string(bytes)
	}
	c.change(first, name, f, value)
	return nil
}

// change gives a field of an entry a value, and makes the entry if there is none.
func (c *kubeconfig) change(in, name, f, value string) {
	if c.sections[in] == nil {
		c.sections[in] = section{}
	}
	if c.sections[in][name] == nil {
		c.sections[in][name] = entry{}
	}
	if c.sections[in][name][f] = value; value == "" {
		delete(c.sections[in][name], f)
	}
}
