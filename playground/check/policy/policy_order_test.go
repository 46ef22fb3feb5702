//go:build !js

package policy

import (
	"go/ast"
	"go/token"
	"go/types"
)

// orderFree recognises loops over a map whose order cannot be seen: they only
// collect what is sorted later in the same function, fill another map under the
// loop's key, delete, count, or look whether there is any.
func (in *inspector) orderFree(loop *ast.RangeStmt) bool {
	l := &loopOrder{inspector: in, loop: loop}
	if key, ok := loop.Key.(*ast.Ident); ok {
		l.key = in.p.TypesInfo.ObjectOf(key)
	}
	if !l.free(loop.Body.List) || l.changes && l.returns != "" {
		return false
	}
	for _, slice := range l.collects {
		if !in.sortsAfter(slice, loop.End()) {
			return false
		}
	}
	return true
}

type loopOrder struct {
	*inspector
	loop     *ast.RangeStmt
	key      types.Object
	collects []string // slices that are appended to
	changes  bool     // it does something to what is outside
	returns  string   // what it returns from inside; "" when it does not
}

func (l *loopOrder) free(stmts []ast.Stmt) bool {
	for _, s := range stmts {
		if !l.statement(s) {
			return false
		}
	}
	return true
}

func (l *loopOrder) statement(s ast.Stmt) bool {
	switch s := s.(type) {
	case nil, *ast.DeclStmt, *ast.EmptyStmt:
		return true
	case *ast.AssignStmt:
		for i, to := range s.Lhs {
			if !l.assignment(s, to, s.Rhs[min(i, len(s.Rhs)-1)]) {
				return false
			}
		}
		return true
	case *ast.IncDecStmt:
		l.changes = true
		return l.isInteger(s.X)
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		switch l.callee(call) {
		case "delete":
			l.changes = true
			return true
		case "copy":
			return l.local(call.Args[0])
		}
		return false
	case *ast.BlockStmt:
		return l.free(s.List)
	case *ast.IfStmt:
		return l.statement(s.Init) && l.free(s.Body.List) && l.statement(s.Else)
	case *ast.SwitchStmt:
		return l.statement(s.Init) && l.free(s.Body.List)
	case *ast.CaseClause:
		return l.free(s.Body)
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE && s.Label == nil
	case *ast.ReturnStmt: // the same constants, whichever comes first
		text := "return"
		for _, r := range s.Results {
			if tv := l.p.TypesInfo.Types[r]; tv.Value == nil && !tv.IsNil() {
				return false
			}
			text += " " + types.ExprString(r)
		}
		if l.returns != "" && l.returns != text {
			return false
		}
		l.returns = text
		return true
	}
	return false
}

func (l *loopOrder) assignment(s *ast.AssignStmt, to, value ast.Expr) bool {
	if s.Tok == token.DEFINE || l.local(to) {
		return true
	}
	if id, ok := to.(*ast.Ident); ok && id.Name == "_" {
		return true
	}
	l.changes = true
	if s.Tok == token.ADD_ASSIGN && l.isInteger(to) {
		return true
	}
	if s.Tok != token.ASSIGN {
		return false
	}
	if call, ok := value.(*ast.CallExpr); ok && l.callee(call) == "append" {
		if _, indexed := to.(*ast.IndexExpr); !indexed || !l.underKey(to) {
			l.collects = append(l.collects, types.ExprString(to))
		}
		return true
	}
	return l.underKey(to)
}

// underKey tells whether an expression is m[key], m being a map and key the
// loop's: each turn has its own.
func (l *loopOrder) underKey(e ast.Expr) bool {
	index, ok := e.(*ast.IndexExpr)
	if !ok {
		return false
	}
	_, isMap := l.p.TypesInfo.TypeOf(index.X).Underlying().(*types.Map)
	id, ok := ast.Unparen(index.Index).(*ast.Ident)
	return isMap && ok && l.key != nil && l.p.TypesInfo.ObjectOf(id) == l.key
}

// local tells whether what is assigned to is a variable of the loop's own body.
func (l *loopOrder) local(e ast.Expr) bool {
	if sel, ok := e.(*ast.SelectorExpr); ok { // a field of a struct, not of what a pointer points to
		if _, isStruct := l.p.TypesInfo.TypeOf(sel.X).Underlying().(*types.Struct); isStruct {
			return l.local(sel.X)
		}
		return false
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	obj := l.p.TypesInfo.ObjectOf(id)
	return obj != nil && l.loop.Body.Pos() <= obj.Pos() && obj.Pos() < l.loop.Body.End()
}

func (l *loopOrder) isInteger(e ast.Expr) bool {
	b, ok := l.p.TypesInfo.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// sortsAfter tells whether the function around sorts a slice behind a place.
func (in *inspector) sortsAfter(slice string, pos token.Pos) bool {
	found := false
	if in.function == nil {
		return false
	}
	ast.Inspect(in.function, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Pos() < pos || len(call.Args) == 0 || types.ExprString(call.Args[0]) != slice {
			return !found
		}
		switch in.callee(call) {
		case "sort.Strings", "sort.Ints", "sort.Slice", "sort.SliceStable", "sort.Sort",
			"slices.Sort", "slices.SortFunc", "slices.SortStableFunc":
			found = true
		}
		return !found
	})
	return found
}
