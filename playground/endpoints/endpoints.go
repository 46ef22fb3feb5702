// Package endpoints answers HTTP requests about a cluster as a Kubernetes API server does, and speaks no HTTP: a host gives it a method, an
// address, a header and a body, and gets a code, a header and a body. Package httpapi is such a host, on a port; package jsapi is one for
// programs in JavaScript. All functions belong to whoever runs the cluster: they are called between the things that happen in it.
//
// Absent: connections (exec, attach, port-forward), proxies, logs that go on, /metrics and OpenAPI, which are the port's alone.
//
// Upstream: apiserver/pkg/server (filters, routes) and apiserver/pkg/endpoints/handlers.
package endpoints

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/requestinfo"
)

// Header is a request's or a response's, by canonical names: "Content-Type". It is net/http's Header.
type Header map[string][]string

// Get is the first value of a name; "" if there is none.
func (h Header) Get(name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// CanonicalName is a header's name as Header has it. Upstream: net/textproto, CanonicalMIMEHeaderKey, for names that are right.
func CanonicalName(name string) string {
	parts := strings.Split(name, "-")
	for i, part := range parts {
		if part != "" {
			parts[i] = strings.ToUpper(part[:1]) + strings.ToLower(part[1:])
		}
	}
	return strings.Join(parts, "-")
}

// Request is a request as it came. Its body is JSON, unless the host cannot make JSON of it.
type Request struct {
	Method string
	URL    *url.URL // path and query
	Header Header
	Body   []byte
}

// Response is what is written as it is.
type Response struct {
	Code   int
	Header Header
	Body   []byte
	// Unanswered is why the API server has not answered; then the rest is what a proxy in front of it would say.
	Unanswered error
}

// Server answers for a cluster.
type Server struct {
	Cluster *cluster.Cluster
	// Address is where discovery says that clients find the server: "127.0.0.1:6443".
	Address string
	// Submit sends a request to the cluster, one that writes as the input.
	Submit func(r *client.Request, in cluster.Input, answered func(cluster.Answer))
	// ToYAML makes YAML of JSON; without it nobody is offered YAML.
	ToYAML func(text []byte) ([]byte, error)
	// Protobuf is the media type of a form that the host makes of JSON, for clients that want it; "" where it makes none.
	Protobuf string
}

// Parse reads what a request asks for, and as whom; nil if it is about no resource.
func Parse(r *Request) (*client.Request, error) {
	request, err := requestinfo.Parse(r.Method, r.URL.Path, r.URL.Query())
	if err == nil && request != nil {
		request.Impersonate = Impersonated(r.Header)
	}
	return request, err
}

// Connects tells whether a request wants a connection to a Pod: exec, attach or port-forward.
func Connects(request *client.Request) bool {
	return slices.Contains([]string{"exec", "attach", "portforward"}, request.Subresource)
}

// Proxied tells whether a request is to be sent on to a node, to a Pod, or to a Pod behind a Service. What comes behind "proxy" in its path is
// no part of the subresource, about which the API server is asked.
func Proxied(request *client.Request) bool {
	if gr := request.Resource.GroupResource(); gr.Group != "" || gr.Resource != "nodes" && gr.Resource != "pods" && gr.Resource != "services" {
		return false
	}
	name, _, _ := strings.Cut(request.Subresource, "/")
	if name != "proxy" {
		return false
	}
	request.Subresource = name
	return true
}

// Follows tells whether a request is for a log that goes on.
func Follows(request *client.Request) bool {
	return request.Subresource == "log" && request.Log != nil && request.Log.Follow
}

// Permit asks the API server about those requests that do not come to it: paths about no resource, connections to kubelets.
func (s *Server) Permit(r *Request, request *client.Request) error {
	if request == nil {
		return s.Cluster.MayRead(Impersonated(r.Header), strings.ToLower(r.Method), r.URL.Path)
	}
	connects := Connects(request)
	if !connects && !Proxied(request) && !Follows(request) {
		return nil
	}
	err := s.Cluster.MayRequest(request)
	if connects && err == nil { // upstream: pkg/registry/core/pod/rest/subresources.go, ensureAuthorizedForVerb
		create := *request
		create.Verb = client.Create
		err = s.Cluster.MayRequest(&create)
	}
	return err
}

// Answer has the cluster do a request that is neither a watch nor a connection. answered is called once, in the cluster's time.
func (s *Server) Answer(r *Request, request *client.Request, answered func(Response)) {
	f, ok := s.negotiate(r)
	if !ok || f.as == asTable && request.Resource.Group == "authorization.k8s.io" && request.Verb == client.Create { // reviews have no columns
		answered(s.NotAcceptable())
		return
	}
	media := r.Header.Get("Content-Type")
	if err := requestinfo.SetBody(request, media, r.Body); err != nil {
		answered(Failure(err))
		return
	}
	agent := ""
	if request.FieldManager == "" && request.PatchType != types.ApplyPatchType { // an apply has to name it
		agent = managerOf(r.Header.Get("User-Agent"))
		request.FieldManager = agent
	}
	request.ManagedFields = true
	if k := s.Cluster.Kinds().ForResource(request.Resource); k != nil && k.Aggregated != nil {
		request.Table = f.as == asTable // its server knows the columns
	}
	in := cluster.Input{Kind: cluster.APIRequest, Method: r.Method, URL: r.URL.RequestURI(), Body: cluster.CompactBody(r.Body), Agent: agent}
	if as := request.Impersonate; as != nil {
		in.As, in.AsGroups = as.Username, as.Groups
	}
	if media != requestinfo.JSON && media != requestinfo.YAML { // a body of YAML is JSON by now
		in.ContentType = media
	}
	s.Submit(request, in, func(a cluster.Answer) { answered(f.response(a, s.Cluster)) })
}

// response is an answer of the API server as a client wants it.
func (f format) response(a cluster.Answer, c *cluster.Cluster) (out Response) {
	if a.Err == nil {
		a.Err = f.checkOptions()
	}
	switch text, ok := a.Result.(*client.Text); {
	case a.Err != nil:
		out = Failure(a.Err)
	case ok:
		out = Response{Code: int(a.Code), Header: Header{"Content-Type": {"text/plain"}}, Body: []byte(text.Body)}
	default:
		body, mediaType, err := f.encode(f.convert(a.Result, c.Time()))
		if err != nil {
			out = Failure(err)
		} else {
			out = Response{Code: int(a.Code), Header: Header{"Content-Type": {mediaType}}, Body: body}
		}
	}
	for _, text := range a.Warnings {
		out.Header["Warning"] = append(out.Header["Warning"], fmt.Sprintf(`299 - %q`, text))
	}
	return out
}

// Watch opens a watch. opened is called once, with the head of the response or with what it is instead; then event for each event, a line
// of the body, and ended when the server ends it. stop ends it from this side.
// Upstream: endpoints/handlers/watch.go, ServeHTTP.
func (s *Server) Watch(r *Request, request *client.Request, opened func(Response), event func(line []byte), ended func()) (stop func()) {
	f, ok := s.negotiate(r)
	if !ok {
		opened(s.NotAcceptable())
		return func() {}
	}
	if err := f.checkOptions(); err != nil {
		opened(Failure(err))
		return func() {}
	}
	request.ManagedFields = true
	first := true
	return s.Cluster.Watch(request, func(err error) {
		if err != nil {
			opened(Failure(err))
			return
		}
		opened(Response{Code: 200, Header: Header{"Content-Type": {mediaJSON}}})
	}, func(e client.Event) {
		line, err := f.event(e, s.Cluster, first)
		first = first && e.Type == client.Bookmark
		if err == nil {
			event(line)
		}
	}, ended)
}

// event is a line of a watch. A table's columns are in the first alone.
func (f format) event(e client.Event, c *cluster.Cluster, first bool) ([]byte, error) {
	var object any = e.Status
	if e.Status == nil {
		object = f.convert(e.Object, c.Time())
	}
	if t, ok := object.(table); ok && !first {
		t.ColumnDefinitions = nil
		object = t
	}
	line, err := json.Marshal(struct {
		Type   client.EventType `json:"type"`
		Object any              `json:"object"`
	}{e.Type, object})
	return append(line, '\n'), err
}

// managerOf is the name of a program by its user agent: "kubectl/v1.36.3 (linux/amd64)" is kubectl.
// Upstream: endpoints/handlers/create.go, managerOrUserAgent and prefixFromUserAgent.
func managerOf(agent string) string {
	name, _, _ := strings.Cut(agent, "/")
	var b strings.Builder
	for _, c := range name {
		if b.Len() >= 128 {
			break
		}
		if c >= 0x20 && c != 0x7f {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// JSON is a value of the server's own.
func JSON(code int, v any) Response {
	body, err := json.Marshal(v)
	if err != nil {
		return plain(500, err.Error())
	}
	return Response{Code: code, Header: Header{"Content-Type": {mediaJSON}}, Body: append(body, '\n')}
}

// NotFound is the answer to a path at which nothing is. Upstream: server/routes/index.go.
func NotFound() Response { return plain(404, "404 page not found") }

func plain(code int, text string) Response {
	return Response{Code: code, Header: Header{"Content-Type": {"text/plain; charset=utf-8"}}, Body: []byte(text + "\n")}
}

// Status is a Status, whose code is the answer's.
func Status(status metav1.Status) Response {
	status.Kind, status.APIVersion = "Status", "v1"
	out := JSON(int(status.Code), &status)
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		out.Header["Retry-After"] = []string{fmt.Sprint(status.Details.RetryAfterSeconds)}
	}
	return out
}

// Failure is what an error says.
func Failure(err error) Response {
	var refused apierrors.APIStatus
	if !errors.As(err, &refused) {
		out := Status(metav1.Status{Status: metav1.StatusFailure, Code: 500, Reason: metav1.StatusReasonInternalError, Message: err.Error()})
		out.Unanswered = err
		return out
	}
	status := refused.Status()
	if d := status.Details; d != nil && len(d.Causes) == 1 && d.Causes[0].Type == metav1.CauseTypeUnexpectedServerResponse {
		return plain(int(status.Code), d.Causes[0].Message) // it came as text, and the client makes the Status
	}
	if status.Code == 404 && (status.Details == nil || status.Details.Kind == "") {
		return NotFound() // a path that nothing is at
	}
	if status.Code == 429 && status.Details == nil { // apiserver/pkg/server/filters/priority-and-fairness.go, tooManyRequests
		out := plain(429, "Too many requests, please try again later.")
		out.Header["Retry-After"] = []string{"1"}
		return out
	}
	return Status(status)
}
