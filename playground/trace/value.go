package trace

import (
	"fmt"
	"strconv"
	"time"
)

// Value brings what code logs into the few forms that a trace holds: string,
// bool, int64. Durations become their string ("1.5s"), errors their message,
// Stringers their string. Anything else is printed with %v, which is
// deterministic: fmt sorts maps by key.
func Value(v any) any {
	switch v := v.(type) {
	case nil:
		return ""
	case string, bool, int64:
		return v
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case uint64:
		return int64(v)
	case ID:
		return int64(v)
	case *int32:
		if v == nil {
			return ""
		}
		return int64(*v)
	case *int64:
		if v == nil {
			return ""
		}
		return *v
	case time.Duration:
		return v.String()
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprintf("%v", v)
}

// String is the text of a value that Value made.
func String(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprint(v)
}

// Attrs makes attributes of alternating keys and values. An odd number of
// arguments or a key that is no string is a programming error and panics.
func Attrs(kv ...any) []Attr { return AppendAttrs(make([]Attr, 0, len(kv)/2), kv...) }

// AppendAttrs is Attrs that adds to those that there are.
func AppendAttrs(out []Attr, kv ...any) []Attr {
	if len(kv)%2 != 0 {
		panic(fmt.Sprintf("trace: %d keys and values, which is odd", len(kv))) // what they are would make all of them escape
	}
	for i := 0; i < len(kv); i += 2 {
		key, ok := kv[i].(string)
		if !ok {
			panic(fmt.Sprintf("trace: key %v is %T, not a string", kv[i], kv[i]))
		}
		out = append(out, Attr{key, Value(kv[i+1])})
	}
	return out
}
