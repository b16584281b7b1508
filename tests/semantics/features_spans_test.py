"""docs/language.md §3.4 and §3.5, spans and tiles: ranges, indices, axes aligned by name. Small kernels, with the values they
must give. Run with --help for the options."""

import numpy as np

from harness import array, main, rounded, sweep, test


@sweep(N=[1, 2, 31, 32, 33, 100, 1000])
def a_span_is_the_tile_of_its_indices(t, N):
    text = """
kernel k(x: f32[N], index: out i64[N], first: out i64[N], last: out i64[N], parity: out bool[N])
over (n in N by 32) {
  index[n] = n;
  first[n] = n.start;
  last[n] = n.end;
  parity[n] = n % 2 == 0;
}
"""
    index, first, last, parity = t.run(
        "k", source=t.file(text), x=t.normal((N,), "f32"), out=dict(index="i64", first="i64", last="i64", parity="bool")
    )
    n = np.arange(N)
    for result, want in zip((index, first, last, parity), (n, n // 32 * 32, np.minimum(n // 32 * 32 + 32, N), n % 2 == 0)):
        t.same(result, want)


@sweep(N=[5, 64, 100, 129], B=[16, 64])
def sub_spans(t, N, B):
    """A span cut again, and twice the same span as two axes (a chunk's scores against itself)."""
    text = f"""
kernel k(x: f32[N], total: out f32[N], pairs: out f32[N])
over (n in N by {B}) {{
  for m in n by 7 {{ total[m] = x[m] * 2; }}
  var s: f32[n] = 0;
  for u in n by {B} {{ s += sum(where(u <= n, x[u], 0), over u); }}
  pairs[n] = s;
}}
"""
    x = t.normal((N,), "f32")
    total, pairs = t.run("k", source=t.file(text), x=x, out=dict(total="f32", pairs="f32"))
    t.same(total, 2 * x.value)
    want = np.concatenate([np.cumsum(x.value[s : s + B]) for s in range(0, N, B)])
    t.close(pairs, want, terms=B, scale=np.abs(x.value).sum())


@sweep(bounds=[(0, 0), (5, 3), (2, 50), (10, 11), (0, 64)])
def ranges_are_half_open_and_may_be_empty(t, bounds):
    text = """
kernel k(x: f32[N], y: out f32[1], count: out i64[1], lo: i64, hi: i64)
over () {
  var s: f32 = 0;
  var steps: i64 = 0;
  for n in max(lo, 0)..min(hi, N) by 8 { s += sum(x[n], over n); steps += 1; }
  y[0] = s;
  count[0] = steps;
}
"""
    lo, hi = bounds
    x = t.normal((64,), "f32")
    y, count = t.run("k", source=t.file(text), x=x, lo=lo, hi=hi, out=dict(y="f32", count="i64"))
    t.close(y, [x.value[lo:hi].sum()], terms=64, scale=np.abs(x.value).sum())
    t.same(count, [max(0, -(-(hi - lo) // 8))])


@test
def a_range_without_by_counts(t):
    text = """
kernel k(y: out i64[N], N0: i64)
over (i in N) {
  var s: i64 = 0;
  for a in i, b in a..i { s += a * 100 + b; }
  y[i] = s;
}
"""
    (y,) = t.run("k", source=t.file(text), N0=0, dims=dict(N=9), out=dict(y="i64"))
    t.same(y, [sum(a * 100 + b for a in range(i) for b in range(a, i)) for i in range(9)])


@sweep(lengths=[(5, 0, 3, 100), (40, 40, 40, 40), (0, 0, 0, 0)])
def a_range_bounded_by_memory(t, lengths):
    text = """
kernel k(x: f32[B, S], len: i32[B], y: out f32[B])
over (b in B) {
  var s: f32 = 0;
  for t in 0..min(len[b], S) by BT { s += sum(x[b, t], over t); }
  y[b] = s;
}
"""
    x = t.normal((4, 40), "f32")
    (y,) = t.run("k", source=t.file(text), x=x, len=array(lengths, "i32"), out=dict(y="f32"))
    want = [x.value[b, : min(n, 40)].sum() for b, n in enumerate(lengths)]
    t.close(y, want, terms=40, scale=np.abs(x.value).sum(1))


@test
def indices_are_arithmetic(t):
    text = """
kernel k<D: i64>(
    x: f32[N, D], w: f32[H * D, N], shifted: out f32[N, D], strided: out f32[N / 2, D], diagonal: out f32[N],
    split: out f32[N, D, H], upper: out f32[N, N])
over (n in N by 8) {
  let d = span(D);
  shifted[n, d] = x[n - 1, d, else 0] + x[n, d] + x[n + 1, d, else -1];
  strided[n / 2, d, else drop] max= x[n, d];
  diagonal[n] = w[n, n, else 0];
  for h in H by 2 { split[n, d, h] = w[h * D + d, n]; }
  for m in N by 8 { upper[n, m] = where(m >= n, x[n, 0] * x[m, 1], 0); }
}
"""
    N, D, H = 20, 5, 4
    x, w = t.normal((N, D), "f32"), t.normal((H * D, N), "f32")
    shifted, strided, diagonal, split, upper = t.run(
        "k", source=t.file(text), x=x, w=w, dims=dict(H=H), out=dict(
            shifted="f32", strided="f32", diagonal="f32", split="f32", upper="f32"
        )
    )
    padded = np.concatenate([np.zeros((1, D)), x.value, -np.ones((1, D))])
    t.close(shifted, padded[:-2] + padded[1:-1] + padded[2:], terms=3, scale=8)
    t.same(strided, x.value.reshape(N // 2, 2, D).max(1))
    t.same(diagonal, np.diag(w.value[:N]))
    t.same(split, w.value.reshape(H, D, N).transpose(2, 1, 0))
    t.same(upper, rounded(np.triu(np.outer(x.value[:, 0], x.value[:, 1])), "f32"))


@sweep(M=[1, 9, 64], N=[1, 17, 64])
def axes_align_by_name(t, M, N):
    """Outer products, and a transposition that is only a store; also where both sizes agree."""
    text = """
kernel k(
    a: f32[M], b: f32[N], x: f32[M, N],
    outer: out f32[M, N], turned: out f32[N, M], rows: out f32[M, N], columns: out f32[M, N])
over (i in M by BM, j in N by BN) {
  outer[i, j] = b[j] * a[i];
  turned[j, i] = x[i, j];
  rows[i, j] = x[i, j] + a[i];
  columns[i, j] = b[j] - x[i, j];
}
"""
    a, b, x = t.normal((M,), "f32"), t.normal((N,), "f32"), t.normal((M, N), "f32")
    results = t.run("k", source=t.file(text), a=a, b=b, x=x, out=dict(outer="f32", turned="f32", rows="f32", columns="f32"))
    wants = [a.value[:, None] * b.value, x.value.T, x.value + a.value[:, None], b.value - x.value]
    for result, want in zip(results, wants):
        t.same(result, rounded(want, "f32"))


if __name__ == "__main__":
    main()
