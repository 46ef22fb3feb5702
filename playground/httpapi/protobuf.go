package httpapi

import (
	"bytes"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/protobuf"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/requestinfo"
	"kubewalk/playground/endpoints"
)

// inProtobuf is a writer that turns JSON into protobuf, if a client wants that and nothing else; finish has to be called at the end. The
// request asks for JSON from then on.
func (s *Server) inProtobuf(w http.ResponseWriter, r *http.Request) (writer *protobufWriter, ok bool) {
	accept, ok := wantsProtobuf(r.Header["Accept"])
	if !ok || r.URL.Path != "/api" && r.URL.Path != "/apis" && !strings.HasPrefix(r.URL.Path, "/api/") && !strings.HasPrefix(r.URL.Path, "/apis/") {
		return nil, false
	}
	r.Header.Set("Accept", accept)
	return &protobufWriter{ResponseWriter: w, server: s}, true
}

// wantsProtobuf tells whether a client takes protobuf but not JSON or YAML, and what to ask for in its place. Who takes JSON, too, gets that.
// There are no tables in protobuf. Upstream: apiserver/pkg/endpoints/handlers/rest.go, RequestScope.AllowsMediaTypeTransform.
func wantsProtobuf(header []string) (accept string, ok bool) {
	for _, clause := range strings.Split(strings.Join(header, ","), ",") {
		media, params, err := mime.ParseMediaType(clause)
		switch {
		case err != nil:
		case slices.Contains([]string{"*/*", "application/*", requestinfo.JSON, requestinfo.YAML}, media):
			return "", false
		case media == protobuf.MediaType && params["as"] != "Table" && accept == "":
			delete(params, "stream")
			accept = mime.FormatMediaType(requestinfo.JSON, params)
		}
	}
	return accept, accept != ""
}

// protobufWriter writes protobuf for the JSON that it is given: whole, or event by event of a watch.
// Upstream: apimachinery/pkg/runtime/serializer/protobuf.
type protobufWriter struct {
	http.ResponseWriter
	server *Server
	watch  bool // the request is one
	code   int
	body   bytes.Buffer
}

// Unwrap lets http.ResponseController reach the connection.
func (w *protobufWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *protobufWriter) streams() bool { return w.watch && w.code == http.StatusOK }

// WriteHeader implements http.ResponseWriter.
func (w *protobufWriter) WriteHeader(code int) {
	if w.code = code; w.streams() {
		w.Header().Set("Content-Type", protobuf.MediaType+";stream=watch")
		w.ResponseWriter.WriteHeader(code)
	}
}

// Write implements http.ResponseWriter.
func (w *protobufWriter) Write(text []byte) (int, error) {
	if !w.streams() {
		return w.body.Write(text)
	}
	if len(text) == 0 {
		return 0, nil
	}
	frame, err := w.server.protobuf.Event(text)
	if err != nil {
		return 0, err
	}
	if _, err := w.ResponseWriter.Write(frame); err != nil {
		return 0, err
	}
	return len(text), nil
}

// finish writes what is not written yet.
func (w *protobufWriter) finish() {
	if w.code == 0 || w.streams() {
		return
	}
	out := w.body.Bytes()
	if media, params, _ := mime.ParseMediaType(w.Header().Get("Content-Type")); media == requestinfo.JSON && len(out) > 0 {
		encoded, err := w.server.protobuf.FromJSON(out)
		switch {
		case err == nil:
			out = encoded
			w.Header().Set("Content-Type", mime.FormatMediaType(protobuf.MediaType, params))
		case errors.Is(err, protobuf.ErrNoForm):
			refused := w.server.endpoints.NotAcceptable()
			w.code, out = refused.Code, refused.Body
		default:
			refused := endpoints.Failure(err)
			w.code, out = refused.Code, refused.Body
		}
	}
	if w.Header().Get("Content-Length") != "" {
		w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	}
	w.ResponseWriter.WriteHeader(w.code)
	w.ResponseWriter.Write(out)
}

// refuses tells whether objects of a request's kind have no form in protobuf: custom ones, unless their metadata is all that is asked for.
// Upstream: apiextensions-apiserver/pkg/apiserver/customresource_handler.go, StandardSerializers.
func (w *protobufWriter) refuses(request *client.Request, asked *endpoints.Request) (bool, error) {
	if request == nil || strings.Contains(asked.Header.Get("Accept"), "as=") {
		return false, nil
	}
	var kinds api.KindSet
	if err := w.server.loop.do(func(c *cluster.Cluster) { kinds = c.Kinds() }); err != nil {
		return false, err
	}
	k := kinds.ForResource(request.Resource)
	return k != nil && !slices.Contains(kinds.BuiltIn(), k), nil
}
