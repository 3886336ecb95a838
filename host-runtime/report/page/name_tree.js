// Amounts as the tree of debug contexts in which they were made.

/** \param tree  {name, amount, children} */
function nameTree(tree, text) {
  const line = (node, depth) => {
    const head = make('div', { className: 'treeLine', style: `padding-left:${depth * 18}px`, data: { name: node.name, amount: node.amount } },
      make('span', { className: 'name' }, `${node.children ? '▸' : ' '} ${node.name || 'all'}`),
      make('div', { className: 'track' }, make('div', { className: 'bar', style: `width:${100 * node.amount / Math.max(1, tree.amount)}%` })),
      make('span', { className: 'amount' }, `${text(node.amount)}, ${percent(node.amount, tree.amount)}`));
    const below = make('div', { hidden: true });
    const toggle = () => {
      if (!below.childNodes.length) below.append(...node.children.map(child => line(child, depth + 1)));
      below.hidden = !below.hidden;
      head.firstChild.textContent = `${below.hidden ? '▸' : '▾'} ${node.name || 'all'}`;
    };
    if (node.children) {
      head.classList.add('choice');
      head.onclick = toggle;
      if (depth < 1) toggle();
    }
    return make('div', {}, head, below);
  };
  return make('div', { className: 'tree scroll' }, line(tree, 0));
}
