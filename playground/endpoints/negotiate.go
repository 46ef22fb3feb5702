package endpoints

import (
	"encoding/json"
	"mime"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/printers"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/requestinfo"
)

// format is the form in which a client wants an answer.
// Upstream: apiserver/pkg/endpoints/handlers/negotiation/negotiate.go.
type format struct {
	as      string                       // "" or the kind that an object or list is converted to
	version string                       // of that kind's: "meta.k8s.io/v1", or an older one
	toYAML  func([]byte) ([]byte, error) // nil for JSON
	include string                       // of a table: what of the object each row has: "None", "Metadata" ("" too) or "Object"
}

// The media types of answers.
const (
	mediaJSON = requestinfo.JSON
	mediaYAML = requestinfo.YAML
)

// Kinds that answers can be converted to.
const (
	asTable     = "Table"
	asPartial   = "PartialObjectMetadata"
	asPartials  = "PartialObjectMetadataList"
	asDiscovery = "APIGroupDiscoveryList"
)

// convertible are the kinds of each group and version.
var convertible = map[string][]string{
	"meta.k8s.io/v1":         {asTable, asPartial, asPartials},
	"meta.k8s.io/v1beta1":    {asTable, asPartial, asPartials},
	"apidiscovery.k8s.io/v2": {asDiscovery},
}

// negotiate finds the first form in the Accept header that this server has; ok is false if there is none.
func (s *Server) negotiate(r *Request) (f format, ok bool) {
	f.include = r.URL.Query().Get("includeObject")
	header := strings.Join(r.Header["Accept"], ",")
	if strings.TrimSpace(header) == "" {
		return f, true
	}
	for _, one := range strings.Split(header, ",") {
		media, params, err := mime.ParseMediaType(one)
		if err != nil {
			continue
		}
		switch {
		case media == "*/*", media == "application/*", media == mediaJSON:
			f.toYAML = nil
		case media == mediaYAML && s.ToYAML != nil:
			f.toYAML = s.ToYAML
		default:
			continue
		}
		f.as = ""
		if as := params["as"]; as != "" {
			f.version = params["g"] + "/" + params["v"]
			for _, kind := range convertible[f.version] {
				if kind == as {
					f.as = as
				}
			}
			if f.as == "" {
				continue
			}
		}
		return f, true
	}
	return f, false
}

// checkOptions looks into what a client says of the form, beside its name. Upstream: endpoints/handlers/response.go, optionsForTransform;
// apimachinery/pkg/apis/meta/v1/validation/validation.go, ValidateTableOptions.
func (f format) checkOptions() error {
	if f.as != asTable || slices.Contains([]string{"", "None", "Metadata", "Object"}, f.include) {
		return nil
	}
	return apierrors.NewBadRequest("Unable to convert to Table as requested: " +
		field.Invalid(field.NewPath("includeObject"), f.include, "must be 'Metadata', 'Object', 'None', or empty").Error())
}

// NotAcceptable says which forms there are.
// Upstream: negotiation/errors.go, NewNotAcceptableError.
func (s *Server) NotAcceptable() Response {
	forms := mediaJSON
	if s.ToYAML != nil {
		forms += ", " + mediaYAML
	}
	if s.Protobuf != "" {
		forms += ", " + s.Protobuf
	}
	return Status(metav1.Status{Status: metav1.StatusFailure, Code: 406, Reason: metav1.StatusReasonNotAcceptable,
		Message: "only the following media types are accepted: " + forms})
}

// partial is an object's metadata alone. Upstream: metav1.PartialObjectMetadata.
type partial struct {
	metav1.TypeMeta
	metav1.ObjectMeta `json:"metadata"`
}

// partialList is upstream's metav1.PartialObjectMetadataList.
type partialList struct {
	metav1.TypeMeta
	metav1.ListMeta `json:"metadata"`
	Items           []partial `json:"items"`
}

func (f format) partialOf(obj api.Object) partial {
	return partial{metav1.TypeMeta{Kind: asPartial, APIVersion: f.version}, *obj.GetObjectMeta()}
}

// tableRow is metav1.TableRow with what of its object the client wants.
type tableRow struct {
	Cells  []any `json:"cells"`
	Object any   `json:"object,omitempty"`
}

// columnDefinition is metav1.TableColumnDefinition with the field that upstream always writes.
type columnDefinition struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Format      string `json:"format"`
	Description string `json:"description"`
	Priority    int32  `json:"priority"`
}

type table struct {
	metav1.TypeMeta
	metav1.ListMeta   `json:"metadata"`
	ColumnDefinitions []columnDefinition `json:"columnDefinitions"`
	Rows              []tableRow         `json:"rows"`
}

// convert makes of an answer what the client wants: what is neither object nor list, a Status, stays what it is.
// Upstream: endpoints/handlers/response.go, doTransformObject.
func (f format) convert(result client.Result, now time.Time) any {
	list, isList := result.(api.List)
	obj, isObject := result.(api.Object)
	made, isTable := result.(*metav1.Table) // by another server
	switch {
	case isTable:
		return f.table(made)
	case f.as == asTable && isList:
		return f.table(printers.TableOfList(list, now))
	case f.as == asTable && isObject:
		return f.table(printers.TableOf(obj, now))
	case (f.as == asPartial || f.as == asPartials) && isList:
		out := partialList{TypeMeta: metav1.TypeMeta{Kind: asPartials, APIVersion: f.version}, ListMeta: *list.GetListMeta(), Items: []partial{}}
		for _, item := range list.GetItems() {
			out.Items = append(out.Items, f.partialOf(item))
		}
		return out
	case f.as == asPartial && isObject:
		return f.partialOf(obj)
	case isList:
		return api.WithoutItemKinds(list)
	}
	return result
}

func (f format) table(t *metav1.Table) table {
	out := table{TypeMeta: metav1.TypeMeta{Kind: asTable, APIVersion: f.version}, ListMeta: t.ListMeta, Rows: []tableRow{}}
	for _, c := range t.ColumnDefinitions {
		out.ColumnDefinitions = append(out.ColumnDefinitions, columnDefinition{Name: c.Name, Type: c.Type, Format: c.Format, Priority: c.Priority})
	}
	for _, r := range t.Rows {
		row := tableRow{Cells: r.Cells}
		switch {
		case f.include == "Object":
			row.Object = r.Object
		case f.include != "None" || r.Object != nil && r.Object.GetObjectMeta().Annotations[metav1.InitialEventsAnnotationKey] == "true":
			row.Object = f.partialOf(r.Object)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// encode writes an answer as JSON or YAML, with its media type.
func (f format) encode(v any) (body []byte, mediaType string, err error) {
	body, err = json.Marshal(v)
	if err != nil {
		return nil, "", err
	}
	if f.toYAML == nil {
		return append(body, '\n'), mediaJSON, nil
	}
	body, err = f.toYAML(body)
	return body, mediaYAML, err
}
