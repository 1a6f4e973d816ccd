/** The arguments of a tool call, by name. */
export function Arguments({ args }: { readonly args: Readonly<Record<string, unknown>> }) {
  return (
    <dl class="arguments">
      {Object.entries(args).map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </>
      ))}
    </dl>
  )
}
