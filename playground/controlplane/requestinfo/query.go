package requestinfo

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
)

// reader takes parameters out of a query and keeps the first that could not be read.
type reader struct {
	values url.Values
	err    error
}

func (q *reader) fail(err error) {
	if q.err == nil {
		q.err = err
	}
}

func (q *reader) text(name string) string { return q.values.Get(name) }

// boolean is upstream's conversion of query parameters: a name without a value is true, as is any value but "0" and "false", which may be "False".
// Upstream: apimachinery/pkg/runtime/conversion.go, Convert_Slice_string_To_bool.
func (q *reader) boolean(name string) bool {
	values, ok := q.values[name]
	if !ok || len(values) == 0 {
		return false
	}
	return !strings.EqualFold(values[0], "false") && values[0] != "0"
}

func (q *reader) integer(name string) *int64 {
	v := q.values.Get(name)
	if v == "" {
		return nil
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		q.fail(apierrors.NewBadRequest(err.Error()))
		return nil
	}
	return &n
}

func (q *reader) time(name string) *metav1.Time {
	v := q.values.Get(name)
	if v == "" {
		return nil
	}
	t, err := time.Parse(time.RFC3339, v)
	if err != nil {
		q.fail(apierrors.NewBadRequest(err.Error()))
		return nil
	}
	return &metav1.Time{Time: t}
}

// dryRun tells whether nothing is to be stored, and refuses what is no value of that parameter. kind is that of the options.
// Upstream: apimachinery/pkg/apis/meta/v1/validation/validation.go, ValidateDryRun.
func (q *reader) dryRun(kind string) bool {
	for _, v := range q.values["dryRun"] {
		if v != metav1.DryRunAll {
			q.fail(apierrors.NewInvalid(api.GroupKind{Group: "meta.k8s.io", Kind: kind}, "",
				field.ErrorList{field.NotSupported(field.NewPath("dryRun"), v, []string{metav1.DryRunAll})}))
		}
	}
	return len(q.values["dryRun"]) > 0
}
