package validation

import (
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
)

func TestSysctls(t *testing.T) {
	for name, want := range map[string]string{
		"kernel.shmmax": "", "net/ipv4/ip_local_port_range": "", "a": "", "a-b_c.d": "", "safe-and-unsafe": "",
		"": "Required value", "foo-": "Invalid value", "bar..": "Invalid value", "-a": "Invalid value", "a.-b": "Invalid value", "a-.b": "Invalid value",
		"a./b": "Invalid value", "A": "Invalid value", "a b": "Invalid value", strings.Repeat("a", 254): "Invalid value",
	} {
		errs := validateSysctls([]corev1.Sysctl{{Name: name}}, field.NewPath("sysctls"))
		if len(errs) == 0 != (want == "") || want != "" && !strings.HasPrefix(errs[0].Error(), "sysctls[0].name: "+want) {
			t.Errorf("%q: %v, want %q", name, errs, want)
		}
	}
	if errs := validateSysctls([]corev1.Sysctl{{Name: "a"}, {Name: "a"}}, field.NewPath("sysctls")); len(errs) != 1 ||
		errs[0].Error() != `sysctls[1].name: Duplicate value: "a"` {
		t.Errorf("twice: %v", errs)
	}
}
