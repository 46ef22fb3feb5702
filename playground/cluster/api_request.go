package cluster

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/requestinfo"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/trace"
)

// APIRequest is the input that sends a request to the API server as a client writes it over HTTP: Method, URL (path and query),
// ContentType, Body, Agent, As, AsGroups. It is what comes to a cluster on a port, and is for writes, and for commands in containers (exec),
// whose body is what the command reads: see SetExecInput.
// With Connection, exec and attach open a connection to which the inputs of the kind Type type. Otherwise a connection (attach, port-forward,
// proxy) is only asked for: admission hears of it, and what it carries are other inputs.
const APIRequest Kind = "api-request"

var _ = register(APIRequest, action{
	validate: func(in Input) error {
		_, err := in.apiRequest()
		return err
	},
	words: func(in Input) string { return string(in.Kind) + " " + in.Method + " " + in.URL },
	attrs: func(in Input) []trace.Attr {
		return given("method", in.Method, "url", in.URL, "contentType", in.ContentType, "manifest", in.Body, "agent", in.Agent, "as", in.As,
			"asGroups", strings.Join(in.AsGroups, ","), "connection", in.Connection)
	},
	do: (*Cluster).apiRequest,
})

// apiRequest reads the request. Its error says what is wrong with its form; what the API server has to say is in its answer.
func (in Input) apiRequest() (*client.Request, error) {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("input %q: "+format, append([]any{in.Kind}, args...)...)
	}
	at, err := url.Parse(in.URL)
	if err != nil || at.Host != "" || !strings.HasPrefix(at.Path, "/") {
		return nil, fail("path %q is not a path of the API, such as /api/v1/namespaces/default/configmaps", in.URL)
	}
	r, err := requestinfo.Parse(in.Method, at.Path, at.Query())
	switch {
	case err != nil:
		return nil, fail("%w", err)
	case r == nil:
		return nil, fail("path %q is about no resource", in.URL)
	case r.Subresource == "proxy", r.Verb == client.Create && (r.Subresource == "attach" || r.Subresource == "portforward"):
	case r.Verb == client.Get, r.Verb == client.List, r.Verb == client.Watch:
		return nil, fail("%s only reads: write kubectl: get --raw '%s'", cmp.Or(in.Method, "GET"), in.URL)
	}
	if r.Subresource == "exec" && r.Exec != nil {
		r.Exec.Input, err = in.execInput()
	} else {
		err = requestinfo.SetBody(r, in.ContentType, []byte(in.Body))
	}
	if err != nil {
		return nil, fail("%w", err)
	}
	if in.Connection != "" && r.Exec == nil {
		return nil, fail("only exec and attach have a connection")
	}
	r.FieldManager = cmp.Or(r.FieldManager, in.Agent)
	r.ManagedFields = true
	if in.As != "" {
		r.Impersonate = &authenticationv1.UserInfo{Username: in.As, Groups: in.AsGroups}
	}
	return r, nil
}

// binary is the ContentType of a command's input that is no text. Its Body is in base64.
const binary = "application/octet-stream"

// SetExecInput is what a command in a container reads from its standard input. An input's body is text.
func (in *Input) SetExecInput(data string) {
	hidden := func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == utf8.RuneError }
	if in.Body = data; strings.ContainsFunc(data, hidden) {
		in.ContentType, in.Body = binary, base64.StdEncoding.EncodeToString([]byte(data))
	}
}

func (in *Input) execInput() (string, error) {
	if in.ContentType != binary {
		return in.Body, nil
	}
	data, err := base64.StdEncoding.DecodeString(in.Body)
	return string(data), err
}

// ReadsInput tells whether a command that somebody executes in a container reads its standard input.
func ReadsInput(command []string) bool { return cri.ReadsInput(command) }

// Prompts tells whether a command is a shell that runs what is typed to it.
func Prompts(command []string) bool { return cri.Prompts(command) }

// apiRequest sends the request.
func (c *Cluster) apiRequest(i int) {
	if c.results[i].Input.Connection != "" {
		c.openConnection(i)
		return
	}
	r, err := c.results[i].Input.apiRequest()
	must(err) // Schedule has seen it
	c.send(r, func(a Answer) {
		o := &c.results[i]
		o.Done, o.Warning = true, strings.Join(a.Warnings, "\n")
		switch text, _ := a.Result.(*client.Text); {
		case a.Err != nil:
			o.Error = a.Err.Error()
		case text != nil && text.ExitCode != 0:
			o.Error = fmt.Sprintf("%scommand terminated with exit code %d", text.Body+text.Stderr, text.ExitCode)
		case text != nil:
			o.Output = text.Body + text.Stderr
		}
		c.answer(i, a)
	})
}

// CompactBody writes a body as encoding/json does, which is how a demo's file gives it back; one that is no JSON stays.
func CompactBody(text []byte) string { return string(compact(json.RawMessage(text))) }
