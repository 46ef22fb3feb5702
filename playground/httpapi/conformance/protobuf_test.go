package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"kubewalk/playground/api"
	"kubewalk/playground/api/protobuf"
)

// Upstream has each kind with every field set, as JSON and as protobuf, so that no release changes what is on the wire.
func TestProtobufAsUpstream(t *testing.T) {
	folder := func(module, below string) string {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(strings.TrimSpace(string(out)), below)
	}
	folders := []string{folder("k8s.io/api", "testdata/HEAD"), folder("k8s.io/apiextensions-apiserver", "pkg/apis/testdata/HEAD")}
	compared, decoder := 0, protobuf.NewCodec()
	for _, k := range api.AllKinds() {
		group := k.Group
		if group == "" {
			group = "core"
		}
		for _, folder := range folders {
			name := filepath.Join(folder, group+"."+k.Version+"."+k.Kind)
			body, err := os.ReadFile(name + ".pb")
			if err != nil {
				continue
			}
			want, err := os.ReadFile(name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			compared++
			written, err := decoder.FromJSON(want)
			if k.Kind == "CustomResourceDefinition" { // many fields of it are zero, which upstream writes
				err = readsAs(written, want)
			} else if err == nil && !bytes.Equal(written, body) {
				err = errors.New("other bytes")
			}
			if err != nil {
				t.Errorf("%s is written differently: %v\n%x\n%x", k.GroupVersionKind, err, written, body)
			}
			got, err := decoder.ToJSON(body)
			if err != nil {
				t.Errorf("%s: %v", k.GroupVersionKind, err)
				continue
			}
			if a, b := object(t, k, got), object(t, k, want); !reflect.DeepEqual(a, b) {
				x, _ := json.MarshalIndent(a, "", " ")
				y, _ := json.MarshalIndent(b, "", " ")
				t.Errorf("%s\nprotobuf: %s\nJSON:     %s", k.GroupVersionKind, x, y)
			}
		}
	}
	if compared < 45 {
		t.Errorf("only %d kinds have both files", compared)
	}
}

// readsAs tells whether upstream reads a CustomResourceDefinition in protobuf as it reads one in JSON.
func readsAs(body, text []byte) error {
	var wire runtime.Unknown
	var a, b apiextensionsv1.CustomResourceDefinition
	if err := errors.Join(wire.Unmarshal(body[4:]), a.Unmarshal(wire.Raw), json.Unmarshal(text, &b)); err != nil {
		return err
	}
	if a.TypeMeta = b.TypeMeta; !equality.Semantic.DeepEqual(a, b) {
		return fmt.Errorf("upstream reads %+v, not %+v", a, b)
	}
	return nil
}

// object decodes an object strictly and encodes it again: what upstream's JSON leaves out is zero in either.
func object(t *testing.T, k *api.Kind, text []byte) any {
	t.Helper()
	obj, strict, err := api.Decode(text, &k.GroupVersionKind)
	if err != nil || strict != nil {
		t.Fatalf("%s: %v, %v\n%s", k.GroupVersionKind, err, strict, text)
	}
	encoded, err := api.Encode(obj)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(encoded, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
